// flexmbs.Camera: looks at `target` (relative to the body that it follows) from the direction `back`; `height` (m)
// fills the height of the canvas, or three quarters of its width where that is less.
{
  const { add, dot, cross, times, unit, apply, across, turn } = flexmbs.vectors;
  const SLOPE = 0.26; // tangent of half the angle of view in perspective

  flexmbs.Camera = class {
    #follow = null;
    perspective = false;

    constructor(renderer) {
      const { position, target, up, parallelHeight } = renderer.scene.camera, { low, high } = renderer.scene.bounds;
      Object.assign(this, { renderer, target: [...target], height: parallelHeight });
      this.corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((i) => ((k >> i) & 1 ? high : low)[i]));
      this.diagonal = Math.hypot(...add(high, low, -1)) || 1;
      this.#turnTo(unit(add(position, target, -1)), up);
    }

    #turnTo(back, up) {
      this.back = back;
      this.right = unit(cross(up, back));
      this.above = cross(back, this.right);
    }

    get follow() {
      return this.#follow;
    }
    set follow(body) {
      const { centre } = this;
      this.#follow = body;
      this.target = body === null ? centre : add(centre, this.renderer.pose(body).p, -1);
    }
    get centre() {
      return this.#follow === null ? this.target : add(this.target, this.renderer.pose(this.#follow).p);
    }

    get aspect() {
      return this.renderer.canvas.clientWidth / this.renderer.canvas.clientHeight || 1;
    }
    get shownHeight() {
      return this.height * Math.max(1, 4 / 3 / this.aspect);
    }
    get pixelsPerMetre() {
      return this.renderer.canvas.clientHeight / this.shownHeight;
    }

    orbit(dx, dy) {
      const { up } = this.renderer.scene, now = Math.asin(Math.max(-1, Math.min(1, dot(this.back, up))));
      const rise = Math.max(-1.57, Math.min(1.57, now + dy * 0.008)) - now;
      for (const rotation of [turn(times(this.right, -rise)), turn(times(up, -dx * 0.008))])
        for (const axis of ["back", "right", "above"]) this[axis] = unit(apply(rotation, this[axis]));
    }

    pan(dx, dy) {
      this.target = add(add(this.target, this.right, -dx / this.pixelsPerMetre), this.above, dy / this.pixelsPerMetre);
    }

    // `factor` above 1 magnifies; what is at x, y stays there.
    zoom(factor, x = this.renderer.canvas.clientWidth / 2, y = this.renderer.canvas.clientHeight / 2) {
      const before = this.pixelsPerMetre;
      this.height = Math.max(1e-7 * this.diagonal, Math.min(100 * this.diagonal, this.height / factor));
      const more = this.pixelsPerMetre / before - 1;
      this.pan((this.renderer.canvas.clientWidth / 2 - x) * more, (this.renderer.canvas.clientHeight / 2 - y) * more);
    }

    // Shows the whole motion, or puts the body that it follows into the middle.
    fit() {
      if (this.#follow !== null) return void (this.target = [0, 0, 0]);
      const [x, y, z] = [this.right, this.above, this.back].map((axis) => {
        const places = this.corners.map((corner) => dot(corner, axis));
        const low = Math.min(...places), high = Math.max(...places);
        return { middle: times(axis, (low + high) / 2), size: high - low };
      });
      this.target = add(add(x.middle, y.middle), z.middle);
      const height = 1.12 * Math.max(y.size, x.size / this.aspect, 0.02 * this.diagonal);
      this.height = height / Math.max(1, 4 / 3 / this.aspect);
    }

    // From "x", "-x", "y", "-y", "z", "-z" or "iso".
    look(from) {
      const { up } = this.renderer.scene, side = across(up);
      let back = [..."xyz"].map((axis) => (axis !== from.at(-1) ? 0 : from[0] === "-" ? -1 : 1));
      if (from === "iso") back = unit(add(add(times(side, -1), cross(side, up), -0.7), up, 0.6));
      this.#turnTo(back, Math.abs(dot(back, up)) < 0.99 ? up : cross(side, up));
      this.fit();
    }

    // view: matrix (columns), from places relative to `centre` to clip space; eye: a place, or a direction (last: 0).
    view() {
      const { back, right, above, centre, aspect, shownHeight: h } = this, d = h / 2 / SLOPE;
      const depths = this.corners.map((corner) => dot(add(corner, centre, -1), back));
      const margin = this.diagonal * Math.max(0.5, Math.min(5, 0.1 * this.renderer.state.scale));
      const low = Math.min(...depths, -h / 2) - margin, high = Math.max(...depths, h / 2) + margin;
      const near = Math.max(d - high, 0.02 * d), far = d - low, deep = far - near, sum = far + near;
      const wide = this.perspective ? 1 / SLOPE : 2 / h;
      const rows = [[...times(right, wide / aspect), 0], [...times(above, wide), 0]];
      if (this.perspective) rows.push([...times(back, -sum / deep), (d * sum - 2 * far * near) / deep]);
      if (this.perspective) rows.push([...times(back, -1), d]);
      else rows.push([...times(back, -2 / (high - low)), (high + low) / (high - low)], [0, 0, 0, 1]);
      const eye = this.perspective ? [...times(back, d), 1] : [...back, 0];
      return { view: [0, 1, 2, 3].flatMap((j) => rows.map((r) => r[j])), eye };
    }
  };
}
