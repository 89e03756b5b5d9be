// Links, forces, contact points and markers at the present frame, as pieces of tubes and dots.
{
  const { add, dot, cross, times, unit, across, colour, apply, row } = flexmbs.vectors;
  // Sizes relative to the motion: radii of an arrow's shaft and tip, its tip's length, the shortest arrow.
  const SHAFT = 0.0032, TIP = 0.0095, TIP_LENGTH = 0.03, SHORTEST = 0.02;
  const AXES = [[0.86, 0.2, 0.18], [0.24, 0.62, 0.22], [0.18, 0.4, 0.86]];

  flexmbs.Glyphs = class {
    #turns = new Map();
    constructor(renderer) {
      this.renderer = renderer;
    }

    // {solid, through: Float32Array of pieces (through: seen through bodies), dots: of [place, pixels, colour]}.
    now(centre) {
      const { scene, state, camera } = this.renderer, solid = [], through = [], dots = [];
      const size = camera.diagonal, pixel = 1 / camera.pixelsPerMetre;
      for (const link of scene.links) {
        const places = link.marks.map((m) => add(this.renderer.markPose(m).p, centre, -1));
        this.#link(solid, link, places, link.radius || 0.006 * size);
      }
      for (const contact of scene.contacts) {
        for (let k = first(contact.frame, Math.floor(state.frame)); contact.frame[k] === Math.floor(state.frame); k++) {
          const place = add(row(contact.place, k), centre, -1), force = row(contact.force, k), newtons = Math.hypot(...force);
          const tone = [...colour(scene.contactPhases[contact.phase[k]]?.color ?? [0.84, 0.15, 0.56]), 1];
          if (state.glyphs.contacts) dots.push(...place, 10, ...tone);
          if (!state.glyphs.forces || !(newtons > 1e-6 * scene.forceScale.largest)) continue;
          const length = Math.max(SHORTEST * size, scene.forceScale.length_per_newton * newtons);
          arrow(through, place, times(force, 1 / newtons), length, size, tone);
        }
      }
      if (state.glyphs.marks)
        for (const m of scene.marks.keys()) {
          const { R, p } = this.renderer.markPose(m), place = add(p, centre, -1);
          for (let k = 0; k < 3; k++)
            line(through, [place, add(place, [R[k], R[k + 3], R[k + 6]], 22 * pixel)], 1.3 * pixel, [...AXES[k], 1]);
          dots.push(...place, 6, 0.35, 0.37, 0.4, 1);
        }
      if (state.selected) {
        const place = add(this.renderer.position(state.selected.part, state.selected.point), centre, -1);
        dots.push(...place, 15, 0.95, 0.35, 0.05, 1);
      }
      return { solid, through, dots };
    }

    #link(list, link, places, radius) {
      const tone = [...colour(link.color), 1], [a, b] = places, length = Math.hypot(...add(b, a, -1)), e = unit(add(b, a, -1));
      const along = (s) => add(a, e, s * length);
      if (link.kind === "damper") {
        line(list, [a, along(0.65)], 0.35 * radius, tone);
        line(list, [along(0.45), along(0.4501), along(0.92), along(0.9201), b], [0, radius, radius, 0.35 * radius, 0.35 * radius], tone);
      } else if (link.kind === "spring") {
        const turns = this.#turnsOf(link, length, radius), side = across(e), other = cross(e, side), points = [a, along(0.06)];
        for (let k = 0; k <= 16 * turns; k++) {
          const angle = (2 * Math.PI * k) / 16, r = radius * Math.min(1, k / 8, (16 * turns - k) / 8);
          const place = along(0.08 + (0.84 * k) / (16 * turns));
          points.push(add(add(place, side, r * Math.cos(angle)), other, r * Math.sin(angle)));
        }
        line(list, [...points, along(0.94), b], 0.16 * radius, tone);
      } else line(list, places, radius, tone);
    }

    // Enough turns for the first length that is drawn; they stay when the spring is stretched.
    #turnsOf(link, length, radius) {
      if (!this.#turns.has(link)) this.#turns.set(link, Math.max(4, Math.min(14, Math.round(length / (0.9 * radius)))));
      return this.#turns.get(link);
    }

    // The triad in the corner: arrows along the axes, and their letters.
    static triad() {
      const through = [], dots = [];
      for (let k = 0; k < 3; k++) {
        const axis = [0, 1, 2].map((i) => (i === k ? 1 : 0));
        arrow(through, [0, 0, 0], axis, 0.62, 9, [...AXES[k], 1]);
        dots.push(...times(axis, 0.82), 17, ...AXES[k], 2 + k);
      }
      return { through, dots };
    }
  };

  // A tube through points with one radius, or with one at each of them.
  function line(list, points, radius, tone) {
    const r = (k) => radius[k] ?? radius, way = points.slice(1).map((b, k) => unit(add(b, points[k], -1)));
    const bend = points.map((_, k) => unit(add(way[Math.max(k - 1, 0)], way[Math.min(k, way.length - 1)])));
    way.forEach((_, k) => list.push(...points[k], r(k), ...points[k + 1], r(k + 1), ...bend[k], ...bend[k + 1], ...tone));
  }

  function arrow(list, place, direction, length, size, tone) {
    const tip = length - Math.min(TIP_LENGTH * size, 0.7 * length), end = 1e-4 * length;
    const places = [0, tip, tip + end, length].map((s) => add(place, direction, s));
    line(list, [places[0], places[1]], SHAFT * size, tone);
    line(list, [places[1], places[2]], [0, TIP * size], tone);
    line(list, [places[2], places[3]], [TIP * size, 0], tone);
  }

  // The first place of `value` in ascending numbers.
  function first(numbers, value) {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
