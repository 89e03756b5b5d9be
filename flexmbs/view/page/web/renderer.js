// flexmbs.Renderer: a decoded scene drawn with WebGL2, when told (`draw`). x, y: CSS pixels from the upper left corner.
//
// `state` says what is drawn (see the constructor): frame and scale of the motion; quantity and the values low, high at
// the ends of the colour map; hidden parts and opacities of others; clip {normal, offset}: dot(normal, place) <= offset is
// kept. `camera`: orbit, pan, zoom, fit, look, perspective, follow. Numbers for one point, in double precision: position,
// displacement, value, project; what the graphics card has: readback(part), pick(x, y).
//
// A picture: shadow (into a texture), background, ground, opaque surfaces, lines, links, transparent parts, forces
// (faintly through bodies), dots, axes. Transparent triangles of one part are not sorted; values are interpolated in triangles.
{
  const { add, dot, cross, times, across, apply, colour } = flexmbs.vectors;
  const SHADOW = 512, PICKED = 7; // pixels of textures
  const SOLID = [0.999, 1], GLASS = [0, 0.999], ANY = [0, 1]; // opacities that a pass draws
  const NO_INK = [0, 0, 0, 0], INK = [0, 0, 0, 1];

  // The index below `count` with the least finite distance, or -1.
  const nearest = (count, distance) => {
    let best = -1, least = Infinity;
    for (let k = 0; k < count; k++) {
      const far = distance(k);
      if (far < least) [best, least] = [k, far];
    }
    return best;
  };

  flexmbs.Renderer = class extends flexmbs.Evaluation {
    constructor(canvas, scene) {
      const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
      if (!gl) throw new Error("This browser cannot draw the scene: WebGL2 is missing or switched off.");
      super(scene, {
        frame: 0, scale: scene.scale ?? 1, quantity: "body", low: 0, high: 1, hidden: new Set(), opacity: new Map(),
        edges: false, clip: null, selected: null, dark: false,
        glyphs: { marks: false, forces: true, contacts: true, joints: true, axes: true, shadow: true },
      });
      Object.assign(this, { canvas, gl });
      this.camera = new flexmbs.Camera(this);
      canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
      canvas.addEventListener("webglcontextrestored", () => (this.build(), this.draw()));
      this.build();
      this.resize();
    }

    build() {
      super.build();
      const { gl, graphics, arrays } = this;
      gl.clearColor(0, 0, 0, 0);
      gl.depthFunc(gl.LEQUAL);
      gl.polygonOffset(1, 1);
      gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
      [this.pieces, this.dots] = [72, 32].map((bytes) => graphics.buffer(bytes));
      arrays.pieces = graphics.array([[this.pieces, 4, 4, 3, 3, 4]], 1);
      arrays.dots = graphics.array([[this.dots, 4, 4]]);
      graphics.texture("colours", gl.RGB8, 256, 1);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 256, 1, gl.RGB, gl.UNSIGNED_BYTE, this.scene.colours);
      this.pickFrame = graphics.target(graphics.texture("shadow", gl.RGBA32UI, PICKED, PICKED), PICKED);
      this.shadowFrame = graphics.target(graphics.texture("shadow", gl.RGBA8, SHADOW, SHADOW, 9), SHADOW);
    }

    pixelsPerMetre() {
      return this.camera.pixelsPerMetre;
    }

    // `ratio`: pixels of the picture for each of CSS.
    resize(ratio = globalThis.devicePixelRatio || 1) {
      this.ratio = ratio;
      this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
      this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    }

    opacity(index) {
      const { hidden, opacity, glyphs } = this.state, part = this.scene.parts[index];
      return hidden.has(index) || (part.group === "joints" && !glyphs.joints) ? 0 : opacity.get(index) ?? part.opacity;
    }

    // `visible`: within the canvas, not hidden and not cut away; there may be something in front of it.
    project(part, point) {
      const { clientWidth: w, clientHeight: h } = this.canvas;
      const place = add(this.position(part, point), this.camera.centre, -1);
      const { view, clip } = this.#view(), seen = (i) => dot([view[i], view[4 + i], view[8 + i]], place) + view[12 + i];
      const [cx, cy, cw] = [0, 1, 3].map(seen);
      const x = (0.5 + cx / cw / 2) * w, y = (0.5 - cy / cw / 2) * h, inside = x >= 0 && x <= w && y >= 0 && y <= h;
      return { x, y, visible: inside && cw > 0 && this.opacity(part) > 0 && dot(clip, place) <= clip[3] };
    }

    // Uniforms that say what is seen.
    #view() {
      const { camera, state } = this, { centre, right, above } = camera, { normal, offset } = state.clip ?? {};
      const clip = normal ? [...normal, offset - dot(normal, centre)] : [0, 0, 0, 3e38];
      return { ...camera.view(), clip, right, above, up: this.scene.up, pixel: 1 / camera.pixelsPerMetre, ink: NO_INK };
    }

    draw() {
      const { gl, state, scene, canvas, ratio, graphics } = this;
      if (gl.isContextLost()) return;
      this.evaluate();
      const { solid, through, dots } = flexmbs.glyphs(this), common = {
        ...this.#view(), size: [canvas.width, canvas.height], width: ratio, range: [state.low, state.high], ink: INK,
        dark: state.dark ? 1 : 0, pass: SOLID,
      };
      if (state.glyphs.shadow) this.#drawShadow(common, solid);
      this.#onto(null, canvas.width, canvas.height);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.disable(gl.DEPTH_TEST);
      graphics.use("back", { ...common, ink: scene.background ? [...colour(scene.background), 1] : NO_INK });
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      gl.enable(gl.BLEND);
      if (state.glyphs.shadow && dot(this.camera.back, scene.up) > 0.02) this.#drawGround(common);
      gl.enable(gl.DEPTH_TEST);
      this.#drawSurfaces("surface", common);
      this.#drawLines(common);
      this.#drawPieces("tube", common, solid);
      this.#drawGlass({ ...common, pass: GLASS });
      gl.depthFunc(gl.GREATER); // faintly through bodies
      this.#drawPieces("tube", { ...common, ink: [0, 0, 0, 0.3] }, through);
      gl.depthFunc(gl.LEQUAL);
      this.#drawPieces("tube", common, through);
      gl.disable(gl.DEPTH_TEST);
      graphics.buffer(new Float32Array(dots), this.dots);
      graphics.use("dot", common, this.arrays.dots);
      gl.drawArrays(gl.POINTS, 0, dots.length / 8);
      gl.enable(gl.DEPTH_TEST);
      if (state.glyphs.axes) this.#drawTriad(common);
    }

    #onto(frame, width, height, x = 0) {
      this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, frame);
      this.gl.viewport(x, 0, width, height);
    }

    #drawSurfaces(program, uniforms, first = 0, count = this.corners) {
      const { gl } = this;
      gl.enable(gl.POLYGON_OFFSET_FILL); // lines are in front
      this.graphics.use(program, uniforms, this.arrays.surface);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }

    #drawStrips(program, uniforms, array, corners, count) {
      this.graphics.use(program, uniforms, array);
      this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, corners, count);
    }

    #drawPairs(program, uniforms, pairs) {
      this.#drawStrips(program, uniforms, pairs, 4, pairs.count);
    }

    #drawPieces(program, uniforms, list) {
      this.graphics.buffer(new Float32Array(list), this.pieces);
      this.#drawStrips(program, uniforms, this.arrays.pieces, 26, list.length / 18);
    }

    #drawLines(common) {
      const { ratio, arrays } = this;
      if (this.state.edges) this.#drawPairs("line", { ...common, ink: [0.12, 0.12, 0.12, 0.55] }, arrays.edges);
      this.#drawPairs("line", { ...common, width: 1.3 * ratio, ink: [0.3, 0.3, 0.3, 0.9] }, arrays.features);
      this.#drawPairs("line", { ...common, width: 3 * ratio, ink: NO_INK }, arrays.lines);
    }

    // Transparent parts from the farthest to the nearest, each its far side first.
    #drawGlass(common) {
      const { gl, scene, meshes } = this, { back, centre } = this.camera, depths = new Map();
      scene.parts.forEach((part, i) => {
        const opacity = this.opacity(i), { R, p } = this.partPose(part);
        const place = add(add(p, centre, -1), apply(R, meshes[i].middle));
        if (opacity > 0 && opacity <= GLASS[1]) depths.set(i, dot(back, place));
      });
      if (!depths.size) return;
      gl.depthMask(false);
      gl.enable(gl.CULL_FACE);
      for (const i of [...depths.keys()].sort((a, b) => depths.get(a) - depths.get(b)))
        for (const side of [gl.FRONT, gl.BACK]) {
          gl.cullFace(side);
          this.#drawSurfaces("surface", common, meshes[i].corner, meshes[i].corners.length);
        }
      gl.disable(gl.CULL_FACE);
      this.#drawLines(common);
      gl.depthMask(true);
    }

    #drawTriad(common) {
      const { right, above, back } = this.camera, side = 104 * this.ratio;
      const view = [0, 1, 2].flatMap((k) => [right[k], above[k], -0.4 * back[k], 0]).concat([0, 0, -0.5, 1]);
      this.#onto(null, side, side, this.canvas.width - side);
      this.gl.depthRange(0, 1e-4); // before everything
      this.#drawPieces("tube", { ...common, view, eye: [...back, 0] }, flexmbs.triad(this.camera));
      this.gl.depthRange(0, 1);
    }

    // The plane below the motion: its middle, two directions in it, and how far the shadow reaches, m.
    #ground() {
      const { up, bounds } = this.scene, { corners, diagonal } = this.camera, e = across(up);
      const middle = times(add(bounds.low, bounds.high), 0.5);
      const level = Math.min(...corners.map((corner) => dot(corner, up))) - 0.002 * diagonal;
      return { middle: add(middle, up, level - dot(middle, up)), e, f: cross(up, e), reach: 0.56 * diagonal };
    }

    // Seen from below the ground: how near to it something is.
    #drawShadow(common, solid) {
      const { gl } = this, { middle, e, f, reach } = this.#ground(), place = add(middle, this.camera.centre, -1);
      const axes = [e, f, this.scene.up].map((axis) => times(axis, 1 / reach));
      const rows = axes.map((axis, k) => [...axis, -dot(axis, place) - (k === 2)]);
      const view = [0, 1, 2, 3].flatMap((j) => [...rows.map((r) => r[j]), j === 3 ? 1 : 0]);
      const uniforms = { ...common, view, pass: ANY, size: [SHADOW, SHADOW], width: 4, ink: NO_INK };
      this.#onto(this.shadowFrame, SHADOW, SHADOW);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.disable(gl.DEPTH_TEST);
      gl.enable(gl.BLEND);
      gl.blendEquation(gl.MAX);
      this.#drawSurfaces("surfaceShadow", uniforms);
      this.#drawPairs("lineShadow", uniforms, this.arrays.lines);
      this.#drawPieces("tubeShadow", uniforms, solid);
      gl.blendEquation(gl.FUNC_ADD);
      gl.disable(gl.BLEND);
      gl.generateMipmap(this.graphics.at("shadow"));
    }

    #drawGround(common) {
      const { middle, e, f, reach } = this.#ground(), wide = 2 * reach, power = 10 ** Math.floor(Math.log10(reach / 2));
      const spacing = power * [5, 2, 1].find((k) => k * power <= reach / 2);
      this.graphics.use("ground", {
        ...common, middle: add(middle, this.camera.centre, -1), along: times(e, wide), beside: times(f, wide),
        spacing: [spacing / wide, spacing / wide], start: [e, f].map((axis) => (dot(middle, axis) / spacing) % 1),
      });
      this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
    }

    // {part, point}: the nearest node of the part seen within a few pixels of x, y, or null. What is more transparent
    // than half is looked through, unless there is nothing behind it.
    pick(x, y) {
      const { gl } = this, { clientWidth: w, clientHeight: h } = this.canvas;
      const found = new Uint32Array(4 * PICKED * PICKED);
      if (gl.isContextLost()) return null;
      this.evaluate();
      const seen = this.#view(), at = [(2 * x) / w - 1, 1 - (2 * y) / h], more = [w / PICKED, h / PICKED];
      const magnified = (x, i, w) => (i > 1 ? x : (x - at[i] * w) * more[i]);
      const view = seen.view.map((x, k) => magnified(x, k % 4, seen.view[k - (k % 4) + 3]));
      let best = -1;
      this.#onto(this.pickFrame, PICKED, PICKED);
      gl.enable(gl.DEPTH_TEST);
      gl.disable(gl.BLEND);
      for (const pass of [[0.5, 1], ANY]) {
        if (best >= 0) break;
        const uniforms = { ...seen, view, pass, size: [PICKED, PICKED], width: 2 };
        gl.clearBufferuiv(gl.COLOR, 0, [0, 0, 0, 0]);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        this.#drawSurfaces("surfacePick", uniforms);
        this.#drawPairs("linePick", uniforms, this.arrays.lines);
        gl.readPixels(0, 0, PICKED, PICKED, gl.RGBA_INTEGER, gl.UNSIGNED_INT, found);
        const away = (k) => Math.hypot((k % PICKED) - (PICKED - 1) / 2, Math.floor(k / PICKED) - (PICKED - 1) / 2);
        best = nearest(PICKED * PICKED, (k) => (found[4 * k + 3] ? away(k) : Infinity));
      }
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      if (best < 0) return null;
      const place = new Float32Array(found.buffer, 16 * best, 3), part = found[4 * best + 3] - 1;
      const places = this.read(part);
      const point = nearest(places.length / 4, (k) => Math.hypot(...place.map((x, axis) => x - places[4 * k + axis])));
      return { part, point };
    }
  };
}
