// Vectors of three numbers; matrices of nine, row by row.
flexmbs.vectors = {
  add: (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  times: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
  unit: (a) => flexmbs.vectors.times(a, 1 / (Math.hypot(...a) || 1)),
  row: (array, i) => [array[3 * i], array[3 * i + 1], array[3 * i + 2]],
  across: (a) => flexmbs.vectors.unit(flexmbs.vectors.cross(a, Math.abs(a[0]) < 0.6 * Math.hypot(...a) ? [1, 0, 0] : [0, 1, 0])),
  apply: (m, a) => [0, 3, 6].map((i) => m[i] * a[0] + m[i + 1] * a[1] + m[i + 2] * a[2]),
  product: (m, k) => m.map((_, i) => [0, 1, 2].reduce((sum, j) => sum + m[i - (i % 3) + j] * k[3 * j + (i % 3)], 0)),
  // Of a quaternion of any length.
  matrix: (w, x, y, z) => {
    const s = 2 / (w * w + x * x + y * y + z * z);
    return [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
      s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
      s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)];
  },
  // Of a rotation vector.
  turn: (v) => {
    const angle = Math.hypot(...v), s = angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle;
    return flexmbs.vectors.matrix(Math.cos(angle / 2), v[0] * s, v[1] * s, v[2] * s);
  },
  // [r, g, b] 0..1 of these, or of a colour of CSS.
  colour: (css) => {
    if (typeof css !== "string") return css;
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = css;
    return [1, 3, 5].map((i) => parseInt(pen.fillStyle.slice(i, i + 2), 16) / 255);
  },
};
