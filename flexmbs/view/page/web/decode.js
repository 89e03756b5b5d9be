// Decodes the data of a scene. In the header, {at, type, ...} stands in place of an array that is in the data.
globalThis.flexmbs ??= {};

flexmbs.decode = async (div) => {
  const header = JSON.parse(div.querySelector(".flexmbs-header").textContent);
  const text = atob(div.querySelector(".flexmbs-data").textContent.trim());
  const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const block = await new Response(stream).arrayBuffer();
  const scene = flexmbs.unpacked(header, block);
  const same = new Map(); // parts with equal triangles have the same array of edges
  scene.parts = scene.parts.map((given) => {
    const part = { ...flexmbs.plainPart, ...given };
    const known = same.get(part.triangles);
    part.edges = known && known.hidden === part.hidden ? known.edges : flexmbs.drawnEdges(part.triangles, part.hidden);
    same.set(part.triangles, part);
    return part;
  });
  for (const history of scene.histories) {
    const { at } = history, t = scene.time && scene.time.t; // at: numbers of frames, times 16, between which t is linear
    history.t = at && Float64Array.from(at, (place) => {
      const frame = Math.min(place >> 4, t.length - 2);
      return t[frame] + (t[frame + 1] - t[frame]) * (place / 16 - frame);
    });
  }
  return scene;
};

// What the header leaves out of a part.
flexmbs.plainPart = {
  mark: null, opacity: 1, shown: true, flat: true, hidden: null, nodes: null, lines: new Uint32Array(0),
  displacement: null, stress: null, pressure: null, errors: { position: 0, displacement: 0, stress: 0 },
};

// The header with the arrays of the block (ArrayBuffer) in it; equal arrays are one object.
flexmbs.unpacked = (header, block) => {
  const kinds = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, i32: Int32Array, u8: Uint8Array };
  const known = new Map();

  const array = (entry) => {
    const key = JSON.stringify(entry);
    if (!known.has(key)) {
      known.set(key, entry.bytes ? quantised(entry) : raw(entry));
    }
    return known.get(key);
  };
  const raw = ({ at, type, count }) => new kinds[type](block, at, count);

  // low + step * numbers. Differences along n are folded (0, -1, 1, -2 ...: 0, 1, 2, 3 ...), in
  // planes of bytes. They stand row by row, each with its columns one after the other, and are returned as in `shape`.
  const quantised = ({ at, type, bytes, shape, order = 0, step = 1, low = 0 }) => {
    const [rows, n, columns] = shape;
    const size = rows * n * columns;
    const planes = new Uint8Array(block, at, bytes * size);
    const found = new kinds[type](size);
    const numbers = new Int32Array(n);
    const steps = step.type ? array(step) : step, lows = low.type ? array(low) : low;
    for (let row = 0, from = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++, from += n) {
        for (let i = 0; i < n; i++) {
          let folded = 0;
          for (let plane = bytes - 1; plane >= 0; plane--) folded = (folded << 8) | planes[plane * size + from + i];
          numbers[i] = (folded >>> 1) ^ -(folded & 1);
        }
        for (let k = 0; k < order; k++) for (let i = 1; i < n; i++) numbers[i] += numbers[i - 1];
        const own = row * columns + column;
        const scale = steps.length ? steps[own] : steps, start = lows.length ? lows[own] : lows;
        for (let i = 0; i < n; i++) found[(row * n + i) * columns + column] = start + scale * numbers[i];
      }
    }
    return found;
  };

  const unpack = (tree) => {
    if (tree === null || typeof tree !== "object") return tree;
    if (Array.isArray(tree)) return tree.map(unpack);
    if ("at" in tree && "type" in tree) return array(tree);
    return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, unpack(value)]));
  };
  return unpack(header);
};

// The sides of triangles that are not hidden (bit i of hidden: the side from corner i), each once, as pairs of points.
flexmbs.drawnEdges = (triangles, hidden) => {
  const found = new Set();
  for (let i = 0; i < triangles.length; i++) {
    const corner = i % 3, other = corner < 2 ? i + 1 : i - 2;
    if (hidden && hidden[(i - corner) / 3] & (1 << corner)) continue;
    const low = Math.min(triangles[i], triangles[other]);
    found.add(low * 4294967296 + triangles[i] + triangles[other] - low);
  }
  const edges = new Uint32Array(2 * found.size);
  let at = 0;
  for (const key of found) {
    edges[at++] = Math.floor(key / 4294967296);
    edges[at++] = key % 4294967296;
  }
  return edges;
};
