// flexmbs.Motion: where bodies, markers and points of parts are at `state.frame` and `state.scale`; SI, world axes.
{
  const { add, dot, times, row, apply, product, rotation, turn } = flexmbs.vectors;

  flexmbs.Motion = class {
    constructor(scene, state) {
      Object.assign(this, { scene, state });
    }

    // Numbers `from` ... `from + size` of the present frame; a frame has `width` of them. `weights`: of frames.
    now(array, width, from, size, weights) {
      const last = array.length / width - 1;
      const frame = Math.max(0, Math.min(this.state.frame, last)), i = Math.floor(frame);
      const [a, b] = [i, Math.min(i + 1, last)].map((j) => array.subarray(j * width + from)), w = frame - i;
      const sign = weights?.(a, b) < 0 ? -w : w; // a quaternion and its negative are the same rotation
      return Array.from({ length: size }, (_, k) => (1 - w) * a[k] + sign * b[k]);
    }

    // {R, p} of a body, as drawn.
    pose(body) {
      const { poses, poseShift, bodies } = this.scene, more = this.state.scale - 1, width = 7 * bodies.length;
      const p = this.now(poses, width, 7 * body, 3);
      const R = rotation(this.now(poses, width, 7 * body + 3, 4, (a, b) => dot(a, b) + a[3] * b[3]));
      if (!poseShift || !more) return { R, p };
      const shift = this.now(poseShift, 6 * bodies.length, 6 * body, 6);
      return { R: product(turn(times(shift.slice(3), more)), R), p: add(p, shift, more) };
    }

    // {R, p} of a marker, as drawn. Columns of its `axes`: its axes in the body.
    markPose(index) {
      const { body, place, axes, moves } = this.scene.marks[index], { R, p } = this.pose(body), { scale } = this.state;
      if (!moves) return { R: product(R, axes), p: add(p, apply(R, place)) };
      const move = this.now(moves, 6, 0, 6), own = product(turn(times(move.slice(3), scale)), axes);
      return { R: product(R, own), p: add(p, apply(R, add(place, move, scale))) };
    }

    partPose({ mark, body }) {
      return mark === null ? this.pose(body) : this.markPose(mark);
    }

    superposed({ fields, count, coefficients }, width, point) {
      const size = fields.length / count, sum = new Array(width).fill(0);
      this.now(coefficients, count, 0, count).forEach((c, k) => {
        for (let m = 0; m < width; m++) sum[m] += c * fields[k * size + width * point + m];
      });
      return sum;
    }

    // Place of a point as drawn, m.
    position(index, point) {
      const part = this.scene.parts[index], { R, p } = this.partPose(part), rest = row(part.points, point);
      if (!part.displacement) return add(p, apply(R, rest));
      return add(p, apply(R, add(rest, this.superposed(part.displacement, 3, point), this.state.scale)));
    }

    // Displacement by deformation, at deformation scale 1, m.
    displacement(index, point) {
      const part = this.scene.parts[index];
      return part.displacement ? apply(this.partPose(part).R, this.superposed(part.displacement, 3, point)) : [0, 0, 0];
    }

    // NaN if the part has no such quantity.
    value(index, point, quantity) {
      const part = this.scene.parts[index];
      if (!this.has(part, quantity)) return NaN;
      if (quantity === "displacement") return Math.hypot(...this.displacement(index, point));
      if (quantity === "pressure") return this.pressures(part)[point];
      const [x, y, z, yz, xz, xy] = this.superposed(part.stress, 6, point), shear = yz * yz + xz * xz + xy * xy;
      if (quantity === "von_mises") return Math.sqrt(((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 2 + 3 * shear);
      const mean = (x + y + z) / 3, [a, b, c] = [x, y, z].map((s) => s - mean);
      const sign = quantity === "principal_max" ? 1 : -1;
      const p = Math.sqrt((a * a + b * b + c * c + 2 * shear) / 6);
      if (p <= 1e-12 * Math.abs(mean)) return mean; // all three are equal
      const q = (a * (b * c - yz * yz) - xy * (xy * c - xz * yz) + xz * (xy * yz - xz * b)) / (2 * p ** 3);
      return mean + sign * 2 * p * Math.cos(Math.acos(Math.max(-1, Math.min(1, sign * q))) / 3);
    }

    has(part, quantity) {
      return quantity !== "body" && Boolean(part[quantity in part ? quantity : "stress"]);
    }

    // At all points of a part, Pa.
    pressures(part) {
      const { index, values } = part.pressure, found = new Float32Array(part.points.length / 3);
      this.now(values, index.length, 0, index.length).forEach((value, k) => (found[index[k]] = value));
      return found;
    }
  };
}
