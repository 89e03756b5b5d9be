// Decodes the data of a scene: the header says where each array is in the block, and how it is coded.
globalThis.flexmbs ??= {};

flexmbs.decode = async (div) => {
  const header = JSON.parse(div.querySelector(".flexmbs-header").textContent);
  const text = atob(div.querySelector(".flexmbs-data").textContent.trim());
  const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = await new Response(stream).arrayBuffer();
  const kinds = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, i32: Int32Array, u8: Uint8Array };
  const known = new Map(); // equal arrays are one

  const array = (entry) => {
    const key = JSON.stringify(entry);
    if (!known.has(key)) known.set(key, new kinds[entry.type](bytes, entry.at, entry.count));
    return known.get(key);
  };
  const unpacked = (tree) => {
    if (tree === null || typeof tree !== "object") return tree;
    if (Array.isArray(tree)) return tree.map(unpacked);
    if ("at" in tree) return array(tree);
    return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, unpacked(value)]));
  };
  const scene = unpacked(header);
  for (const part of scene.parts) part.edges = drawnEdges(part.triangles, part.hidden);
  return scene;
};

// The sides of triangles that are not hidden (bit i of hidden: the side from corner i), each once, as pairs of points.
function drawnEdges(triangles, hidden) {
  const found = new Map();
  for (let i = 0; i < triangles.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      if (hidden[i / 3] & (1 << k)) continue;
      const a = triangles[i + k], b = triangles[i + ((k + 1) % 3)];
      found.set(Math.min(a, b) * 4294967296 + Math.max(a, b), true);
    }
  }
  const edges = new Uint32Array(2 * found.size);
  let at = 0;
  for (const key of found.keys()) {
    edges[at++] = Math.floor(key / 4294967296);
    edges[at++] = key % 4294967296;
  }
  return edges;
}
