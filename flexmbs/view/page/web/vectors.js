// Vectors [x, y, z]; matrices of nine numbers, row by row.
{
  const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const times = (a, s) => a.map((x) => x * s);
  const unit = (a) => times(a, 1 / (Math.hypot(...a) || 1));
  const row = (array, i) => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];
  const across = (a) => unit(cross(a, Math.abs(a[0]) < 0.6 * Math.hypot(...a) ? [1, 0, 0] : [0, 1, 0]));
  const apply = (m, a) => [dot(m, a), dot(m.slice(3), a), dot(m.slice(6), a)];
  const product = (m, k) => m.map((_, i) => dot(m.slice(i - (i % 3)), [k[i % 3], k[3 + (i % 3)], k[6 + (i % 3)]]));
  const rotation = ([w, x, y, z]) => {
    const s = 2 / (w * w + x * x + y * y + z * z); // the quaternion may have any length
    return [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
      s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
      s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)];
  };
  // By a rotation vector.
  const turn = (v) => {
    const angle = Math.hypot(...v), s = angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle;
    return rotation([Math.cos(angle / 2), ...times(v, s)]);
  };
  // [r, g, b] 0..1 of a colour of CSS.
  const colour = (css) => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = css;
    return [1, 3, 5].map((i) => parseInt(pen.fillStyle.slice(i, i + 2), 16) / 255);
  };
  flexmbs.vectors = { add, dot, cross, times, unit, row, across, apply, product, rotation, turn, colour };
}
