// flexmbs.Camera: looks at `target` (relative to the body it follows) from the direction `back`; `height` (m) of the
// model fills the height of the canvas, or three quarters of its width where that is less.
{
  const { add, dot, cross, times, unit, apply, across, turn } = flexmbs.vectors;
  const ANGLE = 0.5; // rad, field of view of the perspective camera

  flexmbs.Camera = class {
    #follow = null;
    perspective = false;

    constructor(renderer) {
      const { camera, bounds } = renderer.scene;
      this.renderer = renderer;
      this.diagonal = Math.hypot(...add(bounds.high, bounds.low, -1)) || 1;
      this.target = [...camera.target];
      this.#turnTo(unit(add(camera.position, camera.target, -1)), camera.up);
      this.height = camera.parallelHeight;
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
      const centre = this.centre;
      this.#follow = body;
      this.target = body === null ? centre : add(centre, this.renderer.pose(body).p, -1);
    }

    // What it looks at, m.
    get centre() {
      return this.#follow === null ? this.target : add(this.target, this.renderer.pose(this.#follow).p);
    }

    get shownHeight() {
      const { clientWidth, clientHeight } = this.renderer.canvas;
      return this.height * Math.max(1, (4 * clientHeight) / (3 * clientWidth));
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
    zoom(factor, x, y) {
      const { clientWidth, clientHeight } = this.renderer.canvas, before = this.pixelsPerMetre;
      this.height = Math.max(1e-7, Math.min(1e2, this.height / factor / this.diagonal)) * this.diagonal;
      const shift = this.pixelsPerMetre / before - 1;
      if (x !== undefined) this.pan((clientWidth / 2 - x) * shift, (clientHeight / 2 - y) * shift);
    }

    // All of the motion, from where it looks now; of a body that is followed: that body in the middle.
    fit() {
      if (this.#follow !== null) return void (this.target = [0, 0, 0]);
      const corners = this.corners(), aspect = this.renderer.canvas.clientWidth / this.renderer.canvas.clientHeight;
      const [across, above] = [this.right, this.above].map((axis) => {
        const places = corners.map((c) => dot(c, axis));
        return [Math.min(...places), Math.max(...places)];
      });
      const back = dot(corners.reduce((sum, c) => add(sum, c, 1 / 8), [0, 0, 0]), this.back);
      this.target = add(add(times(this.right, (across[0] + across[1]) / 2), this.above, (above[0] + above[1]) / 2), this.back, back);
      const height = 1.12 * Math.max(above[1] - above[0], (across[1] - across[0]) / aspect, 0.02 * this.diagonal);
      this.height = height / Math.max(1, 4 / (3 * aspect));
    }

    // From "x", "-x", "y", "-y", "z", "-z" or "iso".
    look(from) {
      const { up } = this.renderer.scene, sign = from[0] === "-" ? -1 : 1;
      let back = [0, 1, 2].map((i) => (i === "xyz".indexOf(from.at(-1)) ? sign : 0));
      if (from === "iso") back = unit(add(add(times(across(up), -1), cross(across(up), up), -0.7), up, 0.6));
      const level = Math.abs(dot(back, up)) < 0.99;
      this.#turnTo(back, level ? up : across(across(back)));
      this.fit();
    }

    corners() {
      const { low, high } = this.renderer.scene.bounds;
      return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => low.map((x, i) => ((k >> i) & 1 ? high[i] : x)));
    }

    // Matrix (columns) from places relative to `centre` to clip space, and the eye: a place, or a direction (0).
    view(aspect) {
      const { back, right, above } = this, centre = this.centre, h = this.shownHeight;
      const depths = this.corners().map((c) => dot(add(c, centre, -1), back));
      const margin = this.diagonal * Math.max(0.5, Math.min(5, 0.1 * this.renderer.state.scale));
      const low = Math.min(...depths, -h / 2) - margin, high = Math.max(...depths, h / 2) + margin;
      let rows = [[...times(right, 2 / (h * aspect)), 0], [...times(above, 2 / h), 0]];
      if (this.perspective) {
        const d = h / 2 / Math.tan(ANGLE / 2), near = Math.max(d - high, 0.02 * d), far = d - low;
        const a = (far + near) / (far - near);
        rows = rows.map((r) => times(r, d).concat(0));
        rows.push([...times(back, -a), a * d - (2 * far * near) / (far - near)], [...times(back, -1), d]);
        return { matrix: columns(rows), eye: [...times(back, d), 1] };
      }
      rows.push([...times(back, -2 / (high - low)), (high + low) / (high - low)], [0, 0, 0, 1]);
      return { matrix: columns(rows), eye: [...back, 0] };
    }
  };

  const columns = (rows) => [0, 1, 2, 3].flatMap((j) => rows.map((r) => r[j]));
}
