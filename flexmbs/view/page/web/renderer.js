// flexmbs.Renderer: a decoded scene drawn with WebGL2, when told (`draw`). x, y: CSS pixels from the upper left corner.
//
// All points of all parts stand in one buffer. A transform feedback pass ("evaluate") superposes modes and stress modes
// for the frame, scale and quantity asked for, and writes places, values and normals; every other pass (surfaces, lines,
// shadow, picking) and `readback` read what it wrote. Places are relative to the centre of the camera, so that single
// precision suffices from micrometres to kilometres. Normals are superposed like displacements (linear in the modes);
// values come from superposed stress components at points, and are interpolated between them.
{
  const { add, dot, cross, times, row, across, apply, colour } = flexmbs.vectors;
  const QUANTITIES = ["body", "displacement", "von_mises", "principal_max", "principal_min", "pressure"];
  const CELLS = 8; // texels of a part in the texture "frame"
  const WIDE = 2048, SHADOW = 512, PICKED = 7; // pixels of textures
  const SOLID = [0.999, 1], GLASS = [0, 0.999], ANY = [0, 1]; // opacities that a pass draws
  const NO_INK = [0, 0, 0, 0], INK = [0, 0, 0, 1];

  flexmbs.Renderer = class extends flexmbs.Motion {
    #evaluated = "";

    constructor(canvas, scene) {
      super(scene, {
        frame: 0, scale: scene.scale ?? 1, quantity: "body", low: 0, high: 1, hidden: new Set(), opacity: new Map(),
        edges: false, clip: null, selected: null, dark: false,
        glyphs: { marks: false, forces: true, contacts: true, joints: true, axes: true, shadow: true },
      });
      this.canvas = canvas;
      this.camera = new flexmbs.Camera(this);
      this.gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
      if (!this.gl) throw new Error("This browser cannot draw the scene: WebGL2 is missing or switched off.");
      this.points = 0;
      this.coefficients = CELLS * scene.parts.length;
      const known = new Map(); // parts may have the same surface
      this.meshes = scene.parts.map(({ points, triangles, displacement, stress }) => {
        const same = known.get(triangles)?.points === points && known.get(triangles).surface;
        const surface = same || flexmbs.surface(points, triangles), largest = [displacement, stress].map(largestOf);
        const mesh = { ...surface, first: this.points, coefficient: this.coefficients, largest, fields: largest.flat().length };
        known.set(triangles, { points, surface });
        this.points += mesh.source.length;
        this.coefficients += mesh.fields;
        return mesh;
      });
      canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
      canvas.addEventListener("webglcontextrestored", () => (this.#build(), this.draw()));
      this.#build();
      this.resize();
    }

    pixelsPerMetre() {
      return this.camera.pixelsPerMetre;
    }

    // `ratio`: pixels of the picture for each of CSS.
    resize(ratio = globalThis.devicePixelRatio || 1) {
      this.ratio = ratio;
      this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * this.ratio));
      this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * this.ratio));
    }

    // `visible`: within the canvas, not hidden and not cut away; there may be something in front of it.
    project(part, point) {
      const { clientWidth: w, clientHeight: h } = this.canvas, place = add(this.position(part, point), this.camera.centre, -1);
      const { matrix: m } = this.camera.view(), clip = this.#clip();
      const [cx, cy, , cw] = [0, 1, 2, 3].map((i) => m[i] * place[0] + m[4 + i] * place[1] + m[8 + i] * place[2] + m[12 + i]);
      const x = (0.5 + cx / cw / 2) * w, y = (0.5 - cy / cw / 2) * h, inside = x >= 0 && x <= w && y >= 0 && y <= h;
      return { x, y, visible: inside && cw > 0 && this.#opacity(part) > 0 && dot(clip, place) <= clip[3] };
    }

    draw() {
      const { gl, state, scene, camera, canvas, ratio, graphics } = this, { right, above, back } = camera;
      if (gl.isContextLost()) return;
      this.#evaluate();
      const { matrix: view, eye } = camera.view(), { solid, through, dots } = flexmbs.glyphs(this);
      const common = {
        view, eye, right, above, up: scene.up, clip: this.#clip(), size: [canvas.width, canvas.height], width: ratio, pass: SOLID,
        range: [state.low, state.high], pixel: 1 / camera.pixelsPerMetre, ink: INK, dark: state.dark ? 1 : 0,
      };
      if (state.glyphs.shadow) this.#drawShadow(common, solid);
      this.#onto(null, canvas.width, canvas.height);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.disable(gl.DEPTH_TEST);
      graphics.use("back", { ...common, ink: scene.background ? [...colour(scene.background), 1] : NO_INK });
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      gl.enable(gl.BLEND);
      if (state.glyphs.shadow && dot(back, scene.up) > 0.02) this.#drawGround(common);
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

    // ---- Parts of the picture ----

    #onto(frame, width, height, x = 0) {
      this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, frame);
      this.gl.viewport(x, 0, width, height);
    }

    #opacity(index) {
      const { hidden, opacity, glyphs } = this.state, part = this.scene.parts[index];
      return hidden.has(index) || (part.group === "joints" && !glyphs.joints) ? 0 : opacity.get(index) ?? part.opacity;
    }

    #clip() {
      const { clip } = this.state;
      return clip ? [...clip.normal, clip.offset - dot(clip.normal, this.camera.centre)] : [0, 0, 0, 3e38];
    }

    // The cells of all parts; places, values and normals if anything that they depend on has changed.
    #evaluate() {
      const { gl, state, scene, graphics, cells } = this, { centre } = this.camera, { quantity } = state;
      scene.parts.forEach((part, i) => {
        const mesh = this.meshes[i], { R, p } = this.partPose(part), place = add(p, centre, -1), lists = [];
        const coloured = this.has(part, quantity), stress = coloured && quantity !== "pressure" ? part.stress : null;
        let next = mesh.coefficient;
        [part.displacement, stress].forEach((fields, kind) => {
          const c = fields ? this.now(fields.coefficients, fields.count, 0, fields.count) : [], size = mesh.largest[kind];
          const least = 1e-6 * c.reduce((sum, x, k) => sum + Math.abs(x) * size[k], 0), first = next;
          c.forEach((x, k) => Math.abs(x) * size[k] > least && cells.set([x, k], 4 * next++)); // the others are not seen
          lists.push(first, next - first);
        });
        const grey = [0.74, 0.76, 0.79].map((x) => x - 0.2 * state.dark), tone = coloured || quantity === "body" ? part.color : grey;
        cells.set([0, 1, 2].flatMap((k) => [...R.slice(3 * k, 3 * k + 3), place[k]]), 4 * CELLS * i);
        cells.set([...tone, this.#opacity(i), mesh.row, mesh.source.length, state.scale, mesh.first, ...lists], 4 * CELLS * i + 12);
        cells.set([coloured, mesh.closed, part.displacement?.count ?? 0], 4 * CELLS * i + 24);
      });
      gl.texSubImage2D(graphics.at("frame"), 0, 0, 0, 1024, cells.length / 4096, gl.RGBA, gl.FLOAT, cells);
      const evaluated = String([state.frame, state.scale, quantity, centre]);
      if (evaluated === this.#evaluated) return;
      this.#evaluated = evaluated;
      if (quantity === "pressure") this.#givePressures();
      graphics.use("evaluate", { quantity: QUANTITIES.indexOf(quantity) }, this.arrays.evaluate);
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, this.feedback);
      gl.enable(gl.RASTERIZER_DISCARD);
      gl.beginTransformFeedback(gl.POINTS);
      gl.drawArrays(gl.POINTS, 0, this.points);
      gl.endTransformFeedback();
      gl.disable(gl.RASTERIZER_DISCARD);
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
      gl.bindBuffer(gl.PIXEL_UNPACK_BUFFER, this.places); // lines read both of their ends: from a texture
      gl.texSubImage2D(graphics.at("points"), 0, 0, 0, WIDE, this.rows, gl.RGBA, gl.FLOAT, 0);
      gl.bindBuffer(gl.PIXEL_UNPACK_BUFFER, null);
    }

    #givePressures() {
      const given = new Float32Array(this.points);
      this.scene.parts.forEach((part, i) => {
        const { first, source } = this.meshes[i], values = part.pressure && this.pressures(part);
        if (values) source.forEach((point, k) => (given[first + k] = values[point]));
      });
      this.graphics.buffer(given, this.given);
    }

    #drawSurfaces(program, uniforms, first = 0, count = this.triangles.length) {
      const { gl } = this;
      gl.enable(gl.POLYGON_OFFSET_FILL); // lines are in front
      this.graphics.use(program, uniforms, this.arrays.surface);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }

    // `count` strips of triangles, each with as many corners.
    #drawStrips(program, uniforms, array, corners, count) {
      this.graphics.use(program, uniforms, this.arrays[array]);
      this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, corners, count);
    }

    #drawPairs(name, program, uniforms) {
      this.#drawStrips(program, uniforms, name, 4, this.pairs[name].length / 3);
    }

    #drawPieces(program, uniforms, list) {
      this.graphics.buffer(new Float32Array(list), this.pieces);
      this.#drawStrips(program, uniforms, "pieces", 26, list.length / 18);
    }

    #drawLines(common) {
      const { ratio } = this;
      if (this.state.edges) this.#drawPairs("edges", "line", { ...common, width: ratio, ink: [0.12, 0.12, 0.12, 0.55] });
      this.#drawPairs("features", "line", { ...common, width: 1.3 * ratio, ink: [0.3, 0.3, 0.3, 0.9] });
      this.#drawPairs("lines", "line", { ...common, width: 3 * ratio, ink: NO_INK });
    }

    // Transparent parts from the farthest to the nearest, each its far side first.
    #drawGlass(common) {
      const { gl, scene, meshes } = this, { back, centre } = this.camera, depths = new Map();
      scene.parts.forEach((part, i) => {
        const opacity = this.#opacity(i), { R, p } = this.partPose(part);
        if (opacity > 0 && opacity <= GLASS[1]) depths.set(i, dot(back, add(add(p, centre, -1), apply(R, meshes[i].middle))));
      });
      if (!depths.size) return;
      gl.depthMask(false);
      gl.enable(gl.CULL_FACE);
      for (const i of [...depths.keys()].sort((a, b) => depths.get(a) - depths.get(b)))
        for (const side of [gl.FRONT, gl.BACK]) {
          gl.cullFace(side);
          this.#drawSurfaces("surface", common, meshes[i].triangle, meshes[i].corners.length);
        }
      gl.disable(gl.CULL_FACE);
      this.#drawLines(common);
      gl.depthMask(true);
    }

    #drawTriad(common) {
      const { gl, camera, canvas } = this, { right, above, back } = camera, side = 104 * this.ratio, x = canvas.width - side;
      const view = [0, 1, 2].flatMap((k) => [right[k], above[k], -0.4 * back[k], 0]).concat([0, 0, -0.5, 1]);
      this.#onto(null, side, side, x);
      gl.depthRange(0, 1e-4); // before everything
      this.#drawPieces("tube", { ...common, view, eye: [...back, 0] }, flexmbs.triad(camera));
      gl.depthRange(0, 1);
    }

    // The plane below the motion: its middle, two directions in it, and how far the shadow reaches, m.
    #ground() {
      const { up, bounds } = this.scene, { corners, diagonal } = this.camera, middle = times(add(bounds.low, bounds.high), 0.5);
      const level = Math.min(...corners.map((corner) => dot(corner, up))) - 0.002 * diagonal, e = across(up);
      return { middle: add(middle, up, level - dot(middle, up)), e, f: cross(up, e), reach: 0.56 * diagonal };
    }

    #drawShadow(common, solid) {
      const { gl } = this, { middle, e, f, reach } = this.#ground(), place = add(middle, this.camera.centre, -1);
      const rows = [times(e, 1 / reach), times(f, 1 / reach), times(this.scene.up, 1 / reach)]; // seen from below the ground
      const view = [0, 1, 2].flatMap((j) => [...rows.map((r) => r[j]), 0]).concat(rows.map((r, k) => -dot(r, place) - (k === 2)), 1);
      const uniforms = { ...common, view, pass: ANY, size: [SHADOW, SHADOW], width: 4, ink: NO_INK };
      this.#onto(this.shadowFrame, SHADOW, SHADOW);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.disable(gl.DEPTH_TEST);
      gl.enable(gl.BLEND);
      gl.blendEquation(gl.MAX);
      this.#drawSurfaces("surfaceShadow", uniforms);
      this.#drawPairs("lines", "lineShadow", uniforms);
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

    // ---- What was drawn ----

    // {part, point}: the nearest node of the part seen within a few pixels of x, y, or null. What is more transparent than
    // half is looked through, unless there is nothing behind it.
    pick(x, y) {
      const { gl, canvas, camera } = this, size = [canvas.clientWidth, canvas.clientHeight], { matrix: m, eye } = camera.view();
      if (gl.isContextLost()) return null;
      this.#evaluate();
      const at = [(2 * x) / size[0] - 1, 1 - (2 * y) / size[1]], found = new Uint32Array(4 * PICKED * PICKED);
      const view = m.map((value, k) => (k % 4 > 1 ? value : ((value - at[k % 4] * m[k - (k % 4) + 3]) * size[k % 4]) / PICKED));
      let best = -1;
      this.#onto(this.pickFrame, PICKED, PICKED);
      gl.enable(gl.DEPTH_TEST);
      gl.disable(gl.BLEND);
      for (const pass of [[0.5, 1], ANY]) {
        if (best >= 0) break;
        const uniforms = { view, eye, pixel: 1 / camera.pixelsPerMetre, clip: this.#clip(), pass, size: [PICKED, PICKED], width: 2, ink: NO_INK };
        gl.clearBufferuiv(gl.COLOR, 0, [0, 0, 0, 0]);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        this.#drawSurfaces("surfacePick", uniforms);
        this.#drawPairs("lines", "linePick", uniforms);
        gl.readPixels(0, 0, PICKED, PICKED, gl.RGBA_INTEGER, gl.UNSIGNED_INT, found);
        best = nearest(PICKED * PICKED, (k) => (found[4 * k + 3] ? Math.hypot((k % PICKED) - 3, Math.floor(k / PICKED) - 3) : Infinity));
      }
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      if (best < 0) return null;
      const part = found[4 * best + 3] - 1, places = this.#read(part), [px, py, pz] = new Float32Array(found.buffer, 16 * best, 3);
      const point = nearest(places.length / 4, (k) => Math.hypot(places[4 * k] - px, places[4 * k + 1] - py, places[4 * k + 2] - pz));
      return { part, point };
    }

    // What the graphics card made of the points of a part: positions (3 n) m and values (n) at the present state.
    readback(part) {
      this.#evaluate();
      const found = this.#read(part), { centre } = this.camera;
      const positions = Float64Array.from({ length: (3 * found.length) / 4 }, (_, i) => found[4 * Math.floor(i / 3) + (i % 3)] + centre[i % 3]);
      return { positions, values: found.filter((_, i) => i % 4 === 3) };
    }

    #read(part) {
      const { gl } = this, found = new Float32Array((4 * this.scene.parts[part].points.length) / 3);
      gl.bindBuffer(gl.COPY_READ_BUFFER, this.places);
      gl.getBufferSubData(gl.COPY_READ_BUFFER, 16 * this.meshes[part].first, found);
      gl.bindBuffer(gl.COPY_READ_BUFFER, null);
      return found;
    }

    // ---- Textures and buffers; again when the graphics card was lost and is back ----

    #build() {
      const { gl } = this, graphics = (this.graphics = new flexmbs.Graphics(gl));
      this.#evaluated = "";
      gl.clearColor(0, 0, 0, 0);
      gl.depthFunc(gl.LEQUAL);
      gl.polygonOffset(1, 1);
      gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
      this.#buildFields();
      this.rows = Math.ceil(this.points / WIDE) || 1;
      this.cells = new Float32Array(4096 * Math.ceil(this.coefficients / 1024));
      graphics.texture("frame", gl.RGBA32F, 1024, this.cells.length / 4096);
      graphics.texture("points", gl.RGBA32F, WIDE, this.rows);
      graphics.texture("colours", gl.RGBA8, 256, 1);
      const map = Uint8Array.from({ length: 1024 }, (_, i) => (i % 4 === 3 ? 255 : this.scene.colours[3 * (i >> 2) + (i % 4)]));
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 256, 1, gl.RGBA, gl.UNSIGNED_BYTE, map);
      this.pickFrame = graphics.target(graphics.texture("shadow", gl.RGBA32UI, PICKED, PICKED), PICKED);
      this.shadowFrame = graphics.target(graphics.texture("shadow", gl.RGBA8, SHADOW, SHADOW, 9), SHADOW);
      this.#buildBuffers();
    }

    #buildFields() {
      const { gl, scene, meshes } = this, limit = gl.getParameter(gl.MAX_TEXTURE_SIZE), wide = Math.min(4096, limit);
      let rows = 0;
      for (const mesh of meshes) {
        mesh.row = rows;
        rows += Math.ceil((2 * mesh.source.length * mesh.fields) / wide);
      }
      if (rows > limit) throw new Error("The modes of this scene are too large for this graphics card.");
      this.graphics.texture("fields", gl.RGB32F, wide, rows || 1);
      scene.parts.forEach((part, i) => {
        const texels = flexmbs.texels(part, meshes[i]), count = texels.length / 3, full = Math.floor(count / wide), rest = count % wide;
        const put = (row, ...what) => gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, meshes[i].row + row, ...what);
        if (full) put(0, wide, full, gl.RGB, gl.FLOAT, texels);
        if (rest) put(full, rest, 1, gl.RGB, gl.FLOAT, texels, 3 * full * wide);
      });
    }

    #buildBuffers() {
      const { gl, scene, meshes, graphics } = this, rest = new Float32Array(3 * this.points), normals = new Float32Array(3 * this.points);
      const owners = new Uint32Array(this.points);
      let triangle = 0;
      meshes.forEach((mesh, i) => {
        const part = scene.parts[i], { first, source } = mesh;
        source.forEach((point, k) => rest.set(row(part.points, point), 3 * (first + k)));
        mesh.triangle = triangle;
        triangle += mesh.corners.length;
        normals.set(mesh.normals, 3 * first);
        owners.fill(i, first, first + source.length);
      });
      this.triangles = new Uint32Array(triangle);
      for (const { triangle, corners, first } of meshes) this.triangles.set(corners.map((corner) => first + corner), triangle);
      this.pairs = {
        features: this.#pairsOf((i) => meshes[i].features),
        edges: this.#pairsOf((i) => scene.parts[i].edges),
        lines: this.#pairsOf((i) => scene.parts[i].lines),
      };
      const size = 4 * WIDE * this.rows, owner = graphics.buffer(owners);
      const facing = graphics.buffer(3 * size);
      this.places = graphics.buffer(4 * size);
      [this.given, this.pieces, this.dots] = [4 * this.points || 4, 72, 32].map((bytes) => graphics.buffer(bytes));
      const evaluate = graphics.array([[graphics.buffer(rest), 3], [graphics.buffer(normals), 3], [owner, -1], [this.given, 1]]);
      const pieces = graphics.array([[this.pieces, 4, 4, 3, 3, 4]], 1), dots = graphics.array([[this.dots, 4, 4]]);
      this.arrays = { evaluate, pieces, dots };
      for (const name in this.pairs) this.arrays[name] = graphics.array([[graphics.buffer(this.pairs[name]), -3]], 1);
      this.arrays.surface = graphics.array([[this.places, 4], [facing, 3], [owner, -1]]);
      graphics.buffer(this.triangles, gl.createBuffer(), gl.ELEMENT_ARRAY_BUFFER);
      gl.bindVertexArray(null);
      gl.bindBuffer(gl.ARRAY_BUFFER, null);
      this.feedback = gl.createTransformFeedback();
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, this.feedback);
      [this.places, facing].forEach((buffer, k) => gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, k, buffer));
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    }

    // [point, point, part] of the pairs of points of all parts.
    #pairsOf(list) {
      const lists = this.meshes.map((_, i) => list(i)), found = new Uint32Array(lists.reduce((sum, pairs) => sum + 1.5 * pairs.length, 0));
      let at = 0;
      lists.forEach((pairs, i) => {
        for (let k = 0; k < pairs.length; k += 2)
          for (const number of [this.meshes[i].first + pairs[k], this.meshes[i].first + pairs[k + 1], i]) found[at++] = number;
      });
      return found;
    }
  };

  // Largest components of fields.
  const largestOf = (of) => Array.from({ length: of?.count ?? 0 }, (_, k) => {
    const size = of.fields.length / of.count;
    return of.fields.subarray(k * size, (k + 1) * size).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  });

  // The index below `count` with the least finite distance, or -1.
  const nearest = (count, distance) => {
    let best = -1, least = Infinity;
    for (let k = 0; k < count; k++) {
      const far = distance(k);
      if (far < least) [best, least] = [k, far];
    }
    return best;
  };
}
