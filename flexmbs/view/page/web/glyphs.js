// Links, forces, contact points and markers at the present frame, from pieces of tubes and dots; places relative to the
// centre of the camera. A piece: two ends with radii, the directions that its ends are square to, colour and opacity.
{
  const { add, cross, times, unit, across, row, colour } = flexmbs.vectors;
  // Radii of the shaft and the tip of an arrow, length of the tip, the shortest arrow, relative to the renderer.
  const SHAFT = 0.0032, TIP = 0.0095, TIP_LENGTH = 0.03, SHORTEST = 0.02;
  const AXES = [[0.86, 0.2, 0.18, 1], [0.24, 0.62, 0.22, 1], [0.18, 0.4, 0.86, 1]];
  const LETTERS = [[[-1, -1, 1, 1], [-1, 1, 1, -1]], [[-1, 1, 0, 0], [-1, -1, 1, 1]], [[-1, 1, 1, 1, -1, -1, 1, -1]]]; // x y z

  // A tube through points with one radius, or with one at each of them.
  function tube(list, points, radius, tone) {
    const r = (k) => radius[k] ?? radius, ways = points.slice(1).map((b, k) => unit(add(b, points[k], -1)));
    const bends = points.map((_, k) => unit(add(ways[Math.max(k - 1, 0)], ways[Math.min(k, ways.length - 1)])));
    for (let k = 0; k < ways.length; k++) list.push(...points[k], r(k), ...points[k + 1], r(k + 1), ...bends[k], ...bends[k + 1], ...tone);
  }

  function arrow(list, place, direction, length, size, tone) { // `size` (m): that of the picture
    const tip = length - Math.min(TIP_LENGTH * size, 0.7 * length);
    const [a, b, c, d] = [0, tip, tip + 1e-4 * length, length].map((s) => add(place, direction, s));
    tube(list, [a, b], SHAFT * size, tone);
    tube(list, [b, c], [0, TIP * size], tone);
    tube(list, [c, d], [TIP * size, 0], tone);
  }

  function coil(a, e, length, radius, turns) {
    const side = across(e), other = cross(e, side), points = [a, add(a, e, 0.06 * length)], steps = 16 * turns;
    for (let k = 0; k <= steps; k++) {
      const angle = (Math.PI * k) / 8, r = radius * Math.min(1, k / 8, (steps - k) / 8);
      const place = add(add(a, e, (0.08 + (0.84 * k) / steps) * length), side, r * Math.cos(angle));
      points.push(add(place, other, r * Math.sin(angle)));
    }
    return [...points, add(a, e, 0.94 * length), add(a, e, length)];
  }

  function link(list, { kind, color, radius, turns }, places) {
    const [a, b] = places, length = Math.hypot(...add(b, a, -1)), e = unit(add(b, a, -1)), tone = [...color, 1];
    const rod = 0.35 * radius, at = (...parts) => parts.map((s) => add(a, e, s * length));
    if (kind === "spring") tube(list, coil(a, e, length, radius, turns), 0.16 * radius, tone);
    else if (kind === "damper") {
      tube(list, at(0, 0.65), rod, tone);
      tube(list, at(0.45, 0.4501, 0.92, 0.9201, 1), [0, radius, radius, rod, rod], tone);
    } else tube(list, places, radius, tone);
  }

  // {solid, through: pieces (through: seen through bodies), dots: [place, pixels, colour, opacity] of each}.
  flexmbs.glyphs = (renderer) => {
    const { scene, state, camera } = renderer, solid = [], through = [], dots = [], { centre, diagonal: size, pixelsPerMetre } = camera, now = Math.floor(state.frame);
    const seen = Math.min(size, 1.5 * camera.shownHeight), relative = (place) => add(place, centre, -1);
    for (const shown of scene.links) {
      const places = shown.marks.map((mark) => relative(renderer.markPose(mark).p)), radius = shown.radius || 0.006 * size;
      const length = Math.hypot(...add(places[1], places[0], -1));
      shown.turns ??= Math.max(4, Math.min(14, Math.round(length / (0.9 * radius)))); // of the length that is drawn first
      link(solid, { ...shown, radius }, places);
    }
    for (const { frame, place, force, phase } of scene.contacts)
      for (let k = frame.indexOf(now); k >= 0 && frame[k] === now; k++) {
        const from = relative(row(place, k)), newtons = Math.hypot(...row(force, k));
        const tone = [...colour(scene.contactPhases[phase[k]]?.color ?? "#d6258f"), 1];
        if (state.glyphs.contacts) dots.push(...from, 10, ...tone);
        if (!state.glyphs.forces || !(newtons > 1e-6 * scene.forceScale.largest)) continue;
        const length = Math.max(SHORTEST * seen, scene.forceScale.length_per_newton * newtons);
        arrow(through, from, unit(row(force, k)), length, seen, tone);
      }
    for (const m of state.glyphs.marks ? scene.marks.keys() : []) {
      const { R, p } = renderer.markPose(m), from = relative(p);
      for (let k = 0; k < 3; k++)
        tube(through, [from, add(from, [R[k], R[k + 3], R[k + 6]], 22 / pixelsPerMetre)], 1.3 / pixelsPerMetre, AXES[k]);
      dots.push(...from, 6, 0.35, 0.37, 0.4, 1);
    }
    const { selected } = state;
    if (selected) dots.push(...relative(renderer.position(selected.part, selected.point)), 15, 0.95, 0.35, 0.05, 1);
    return { solid, through, dots };
  };

  // Axes with their letters, for a view from -1 to 1.
  flexmbs.triad = ({ right, above }) => {
    const list = [];
    AXES.forEach((tone, k) => {
      const axis = [0, 1, 2].map((i) => (i === k ? 1 : 0)), end = times(axis, 0.8);
      arrow(list, [0, 0, 0], axis, 0.62, 9, tone);
      for (const stroke of LETTERS[k]) {
        const points = [];
        for (let i = 0; i < stroke.length; i += 2) points.push(add(add(end, right, 0.08 * stroke[i]), above, 0.1 * stroke[i + 1]));
        tube(list, points, 0.022, tone);
      }
    });
    return list;
  };
}
