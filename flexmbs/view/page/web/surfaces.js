// Surfaces of parts as the renderer draws them: normals, corners, texels of modes.
{
  const { add, dot, cross, row } = flexmbs.vectors;
  const SHARP = 0.77; // cosine of 40 degrees: corners sharper than that are edges

  // Points to draw: those of the part, then copies of points at sharp corners, one for each normal; `source`: points
  // that they are. `corners`: triangles of these. Normals are unit vectors (0 where facets are flat) from sums of area
  // vectors with `lengths`. `features`: edges at sharp corners and at rims. `closed`: has no rim.
  flexmbs.surface = ({ points, triangles, flat }) => {
    const n = points.length / 3, places = new Map(), source = Array.from({ length: n }, (_, i) => i), normals = new Array(3 * n).fill(0);
    const corners = Uint32Array.from(triangles), copies = new Map(), faces = [], features = [], open = new Map();
    const merged = source.map((i) => {
      const place = String(row(points, i));
      return places.has(place) ? places.get(place) : (places.set(place, i), i);
    });
    const alike = (a, b) => dot(a, b) > SHARP * Math.hypot(...a) * Math.hypot(...b);
    for (let k = 0; k < triangles.length; k += 3) {
      const [a, b, c] = [0, 1, 2].map((j) => row(points, triangles[k + j])), face = cross(add(b, a, -1), add(c, a, -1));
      faces.push(face);
      if (!face.some(Boolean)) continue;
      for (let j = k; j < k + 3; j++) {
        const i = triangles[j], next = triangles[j === k + 2 ? k : j + 1], [p, q] = [merged[i], merged[next]];
        const key = Math.min(p, q) * n + Math.max(p, q);
        if (!open.has(key)) open.set(key, [k / 3, i, next]);
        else if (open.get(key)) {
          if (!alike(face, faces[open.get(key)[0]])) features.push(i, next);
          open.set(key, null);
        }
        if (flat) continue;
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
    const rims = [...open.values()].filter(Boolean), lengths = source.map((_, i) => Math.hypot(...row(normals, i)) || 1);
    for (const [, i, next] of rims) features.push(i, next);
    const closed = triangles.length > 0 && !rims.length;
    return { source, corners, lengths, features, closed, normals: normals.map((x, i) => x / lengths[Math.floor(i / 3)]) };
  };

  // Texels of a part: [displacement, change of the normal] of each mode, [xx yy zz, yz xz xy] of each stress mode.
  flexmbs.texels = ({ points, triangles, flat, displacement, stress }, { source, corners, lengths }) => {
    const n = points.length / 3, modes = displacement?.count ?? 0, stresses = stress?.count ?? 0;
    const size = 6 * source.length, texels = new Float32Array(size * (modes + stresses));
    for (let k = 0; k < modes; k++) {
      const field = displacement.fields.subarray(3 * n * k, 3 * n * (k + 1)), here = texels.subarray(size * k, size * (k + 1));
      source.forEach((i, p) => here.set(row(field, i), 6 * p));
      for (let j = 0; j < triangles.length && !flat; j += 3) {
        const [a, b, c] = [0, 1, 2].map((m) => row(points, triangles[j + m]));
        const [da, db, dc] = [0, 1, 2].map((m) => row(field, triangles[j + m]));
        const change = add(cross(add(db, da, -1), add(c, a, -1)), cross(add(b, a, -1), add(dc, da, -1)));
        for (let m = j; m < j + 3; m++)
          for (let q = 0; q < 3; q++) here[6 * corners[m] + 3 + q] += change[q] / lengths[corners[m]];
      }
    }
    for (let k = 0; k < stresses; k++)
      source.forEach((i, p) => {
        const from = 6 * (n * k + i);
        texels.set(stress.fields.subarray(from, from + 6), size * (modes + k) + 6 * p);
      });
    return texels;
  };
}
