// Surfaces of parts as they are drawn.
{
  const { add, dot, cross, row } = flexmbs.vectors;
  const alike = (a, b) => dot(a, b) > 0.77 * Math.hypot(...a) * Math.hypot(...b); // within 40 degrees: not an edge

  // Points to draw (`source`: which points of the part): its own, then copies of those at sharp corners, one for each
  // normal. `corners`: triangles of these. `normals`: unit vectors; `lengths`: of the sums of area vectors that they come
  // from. `features`: sharp edges and rims. `closed`: without a rim. `middle`: mean of the points.
  flexmbs.surface = (points, triangles) => {
    const n = points.length / 3, source = Array.from({ length: n }, (_, i) => i), normals = new Array(3 * n).fill(0);
    const corners = Uint32Array.from(triangles), copies = new Map(), features = [], open = new Map(), places = new Map();
    const grain = 1e-6 * points.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-300);
    const merged = source.map((i) => { // triangles may meet at two points in one place
      const place = String(row(points, i).map((x) => Math.round(x / grain)));
      return places.get(place) ?? (places.set(place, i), i);
    });
    for (let k = 0; k < triangles.length; k += 3) {
      const [a, b, c] = [0, 1, 2].map((j) => row(points, triangles[k + j])), face = cross(add(b, a, -1), add(c, a, -1));
      if (!face.some(Boolean)) continue;
      for (let j = k; j < k + 3; j++) {
        const i = triangles[j], next = triangles[j === k + 2 ? k : j + 1], [p, q] = [merged[i], merged[next]];
        const key = Math.min(p, q) * n + Math.max(p, q), other = open.get(key);
        if (other && !alike(face, other[0])) features.push(i, next);
        open.set(key, other === undefined ? [face, i, next] : null);
        const same = [i, ...(copies.get(i) ?? [])];
        let corner = same.find((m) => !row(normals, m).some(Boolean) || alike(face, row(normals, m)));
        if (corner === undefined) {
          corner = source.push(i) - 1;
          normals.push(0, 0, 0);
          copies.set(i, [...same.slice(1), corner]);
        }
        corners[j] = corner;
        for (let m = 0; m < 3; m++) normals[3 * corner + m] += face[m];
      }
    }
    const lengths = source.map((_, i) => Math.hypot(...row(normals, i)) || 1), inside = features.length;
    for (const edge of open.values()) if (edge) features.push(edge[1], edge[2]);
    const closed = triangles.length > 0 && features.length === inside;
    const middle = [0, 1, 2].map((axis) => points.reduce((sum, x, i) => (i % 3 === axis ? sum + x / n : sum), 0));
    return { source, corners, lengths, features, closed, middle, normals: normals.map((x, i) => x / lengths[Math.floor(i / 3)]) };
  };

  // Texels of a part: [displacement, change of the normal] of each mode, [xx yy zz, yz xz xy] of each stress mode.
  flexmbs.texels = ({ points, triangles, displacement, stress }, { source, corners, lengths }) => {
    const n = points.length / 3, modes = displacement?.count ?? 0, stresses = stress?.count ?? 0, size = 6 * source.length;
    const texels = new Float32Array(size * (modes + stresses)), at = (k) => texels.subarray(size * k, size * (k + 1));
    for (let k = 0; k < modes; k++) {
      const field = displacement.fields.subarray(3 * n * k), here = at(k);
      source.forEach((i, p) => here.set(field.subarray(3 * i, 3 * i + 3), 6 * p));
      for (let j = 0; j < triangles.length; j += 3) {
        const [[a, da], [b, db], [c, dc]] = [0, 1, 2].map((m) => [points, field].map((x) => row(x, triangles[j + m])));
        const change = add(cross(add(db, da, -1), add(c, a, -1)), cross(add(b, a, -1), add(dc, da, -1)));
        for (const m of corners.subarray(j, j + 3))
          for (let q = 0; q < 3; q++) here[6 * m + 3 + q] += change[q] / lengths[m];
      }
    }
    for (let k = 0; k < stresses; k++)
      source.forEach((i, p) => at(modes + k).set(stress.fields.subarray(6 * (n * k + i), 6 * (n * k + i) + 6), 6 * p));
    return texels;
  };
}
