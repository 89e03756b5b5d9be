// Decodes the data of a scene. In the header, {at, type, ...} stands in place of an array that is in the data.
globalThis.flexmbs ??= {};

flexmbs.decode = async (div) => {
  const header = JSON.parse(div.querySelector(".flexmbs-header").textContent);
  const block = await (await flexmbsViewer.inflated(div.querySelector(".flexmbs-data"))).arrayBuffer();
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
  const kinds = {
    f4: Float32Array, f8: Float64Array, u4: Uint32Array, u1: Uint8Array, i1: Int8Array, i2: Int16Array, i4: Int32Array,
  };
  const known = new Map();

  const array = (entry) => {
    const key = JSON.stringify(entry);
    if (!known.has(key)) known.set(key, decoded(entry));
    return known.get(key);
  };

  // With columns: differences of whole numbers from row to row; with a step: low + step * these numbers.
  const decoded = ({ at, type, count, columns, step, low }) => {
    const raw = new kinds[type](block, at, count);
    if (!columns) return raw;
    const numbers = Int32Array.from(raw);
    for (let i = columns; i < count; i++) numbers[i] += numbers[i - columns];
    if (step === undefined) return numbers;
    const [steps, lows] = [step, low].map((given) => (given.type ? array(given) : new Array(columns).fill(given)));
    return Float32Array.from(numbers, (number, i) => lows[i % columns] + steps[i % columns] * number);
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
