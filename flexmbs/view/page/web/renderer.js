// flexmbs.Renderer: a decoded scene drawn with WebGL2 when told (`draw`).
//
// All points of all parts stand in one buffer. A transform feedback pass (`EVALUATE`) superposes modes and stress modes
// for the frame, scale and quantity asked for, and writes positions, values and normals; every other pass (surfaces,
// edges, shadow, picking) and `readback` read what it wrote. Positions are relative to the place that the camera looks
// at, so that single precision suffices from micrometres to kilometres. Normals are superposed like displacements
// (linear in the modes). Values are computed at points, from superposed stress components, and interpolated between.
// x and y are CSS pixels from the upper left corner of the canvas. Triangles run anticlockwise seen from outside.
{
  const { add, dot, cross, times, unit, row, across, apply, product, matrix, turn, colour } = flexmbs.vectors;
  const CELLS = 8; // texels of a part in the texture `frame`
  const QUANTITIES = ["body", "displacement", "von_mises", "principal_max", "principal_min", "pressure"];
  const UNITS = { fields: 0, frame: 1, points: 2, colours: 3, shadow: 4, letters: 5 };
  const GREY = [0.74, 0.76, 0.79];
  const SHADOW = 512, PICKED = 7; // pixels

  flexmbs.Renderer = class {
    #key = "";

    constructor(canvas, scene) {
      Object.assign(this, { canvas, scene });
      this.state = {
        frame: 0, scale: scene.scale ?? 1, quantity: "body", low: 0, high: 1, hidden: new Set(), opacity: new Map(),
        edges: false, clip: null, selected: null, dark: false,
        glyphs: { marks: false, forces: true, contacts: true, joints: true, axes: true, shadow: true },
      };
      this.gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
      if (!this.gl) throw new Error("This browser does not draw in three dimensions: WebGL2 is missing or switched off.");
      canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
      canvas.addEventListener("webglcontextrestored", () => (this.#build(), this.draw()));
      let first = 0, coefficient = CELLS * scene.parts.length;
      this.meshes = scene.parts.map((part) => {
        const mesh = { ...flexmbs.surface(part), first, coefficient };
        mesh.largest = [largest(part.displacement), largest(part.stress)];
        first += mesh.source.length;
        coefficient += (part.displacement?.count ?? 0) + (part.stress?.count ?? 0);
        return mesh;
      });
      this.count = first;
      this.cells = new Float32Array(4 * 1024 * Math.ceil(coefficient / 1024));
      this.camera = new flexmbs.Camera(this);
      this.glyphs = new flexmbs.Glyphs(this);
      this.#build();
      this.resize();
    }

    // ---- What is where: numbers, for one node ----

    // Numbers `from` ... `from + size` of rows with `width` numbers, one row a frame, at the present frame.
    #now(array, width, from, size) {
      const last = array.length / width - 1, frame = Math.max(0, Math.min(this.state.frame, last)), i = Math.floor(frame);
      const w = frame - i, a = i * width + from, b = Math.min(i + 1, last) * width + from;
      return Array.from({ length: size }, (_, k) => (1 - w) * array[a + k] + w * array[b + k]);
    }

    // {R, p}: of a body, as drawn.
    pose(body) {
      const { poses, poseShift, bodies } = this.scene, width = 7 * bodies.length, last = poses.length / width - 1;
      const frame = Math.max(0, Math.min(this.state.frame, last)), i = Math.floor(frame), w = frame - i;
      const p = this.#now(poses, width, 7 * body, 3), a = poses.subarray(i * width + 7 * body + 3).subarray(0, 4);
      const b = poses.subarray(Math.min(i + 1, last) * width + 7 * body + 3).subarray(0, 4);
      const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -w : w;
      const R = matrix(...[0, 1, 2, 3].map((k) => (1 - w) * a[k] + sign * b[k])), more = this.state.scale - 1;
      if (!poseShift || !more) return { R, p };
      const shift = this.#now(poseShift, 6 * bodies.length, 6 * body, 6);
      return { R: product(turn(times(shift.slice(3), more)), R), p: add(p, shift, more) };
    }

    // {R, p}: of a marker, as drawn; the columns of its `axes` are its axes in the body.
    markPose(index) {
      const { body, place, axes, moves } = this.scene.marks[index], { R, p } = this.pose(body), s = this.state.scale;
      const move = moves ? this.#now(moves, 6, 0, 6) : [0, 0, 0, 0, 0, 0];
      const own = axes ? Array.from(axes) : [1, 0, 0, 0, 1, 0, 0, 0, 1];
      return { R: product(R, product(turn(times(move.slice(3), s)), own)), p: add(p, apply(R, add(place, move, s))) };
    }

    #partPose({ mark, body }) {
      return mark === null || mark === undefined ? this.pose(body) : this.markPose(mark);
    }

    #superposed(part, fields, width, point) {
      const sum = new Array(width).fill(0), n = part.points.length / 3;
      this.#now(fields.coefficients, fields.count, 0, fields.count).forEach((c, k) => {
        for (let m = 0; m < width; m++) sum[m] += c * fields.fields[width * (k * n + point) + m];
      });
      return sum;
    }

    // Place of a point as drawn, m.
    position(index, point) {
      const part = this.scene.parts[index], { R, p } = this.#partPose(part), rest = row(part.points, point);
      const u = part.displacement ? this.#superposed(part, part.displacement, 3, point) : [0, 0, 0];
      return add(p, apply(R, add(rest, u, this.state.scale)));
    }

    // Displacement by deformation, at deformation scale 1, in world axes, m.
    displacement(index, point) {
      const part = this.scene.parts[index];
      return part.displacement ? apply(this.#partPose(part).R, this.#superposed(part, part.displacement, 3, point)) : [0, 0, 0];
    }

    // SI; NaN if the part has no such quantity.
    value(index, point, quantity) {
      const part = this.scene.parts[index];
      if (!part[source(quantity)]) return NaN;
      if (quantity === "displacement") return Math.hypot(...this.#superposed(part, part.displacement, 3, point));
      if (quantity === "pressure") return this.#pressures(part)[point];
      const [x, y, z, yz, xz, xy] = this.#superposed(part, part.stress, 6, point);
      if (quantity === "von_mises")
        return Math.sqrt(((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 2 + 3 * (yz * yz + xz * xz + xy * xy));
      return principal(x, y, z, yz, xz, xy, quantity === "principal_max" ? 1 : -1);
    }

    #pressures(part) {
      const { index, values } = part.pressure, found = new Float32Array(part.points.length / 3);
      this.#now(values, index.length, 0, index.length).forEach((value, k) => (found[index[k]] = value));
      return found;
    }

    // ---- The picture ----

    resize() {
      for (const [size, client] of [["width", "clientWidth"], ["height", "clientHeight"]])
        this.canvas[size] = Math.max(1, Math.round(this.canvas[client] * (globalThis.devicePixelRatio || 1)));
    }

    pixelsPerMetre() {
      return this.camera.pixelsPerMetre;
    }

    // `visible`: in the canvas and not clipped or hidden; parts in front of it do not count.
    project(index, point) {
      const { clientWidth: w, clientHeight: h } = this.canvas, place = this.position(index, point), { clip } = this.state;
      const m = this.camera.view(w / h).matrix, p = [...add(place, this.camera.centre, -1), 1];
      const [x, y, , q] = [0, 1, 2, 3].map((i) => p.reduce((sum, value, j) => sum + m[4 * j + i] * value, 0));
      const at = { x: (0.5 + x / q / 2) * w, y: (0.5 - y / q / 2) * h };
      const shown = this.#opacity(index) > 0 && q > 0 && (!clip || dot(clip.normal, place) <= clip.offset);
      return { ...at, visible: shown && at.x >= 0 && at.x <= w && at.y >= 0 && at.y <= h };
    }

    draw() {
      const { gl, state, scene, canvas } = this;
      if (gl.isContextLost()) return;
      const { matrix: view, eye } = this.camera.view(canvas.width / canvas.height), centre = this.camera.centre;
      this.#evaluate(centre);
      const ratio = globalThis.devicePixelRatio || 1, clip = this.#clip(centre);
      const { right, above } = this.camera;
      const common = {
        view, eye, clip, right, above, up: scene.up, size: [canvas.width, canvas.height], pass: [0.999, 1], ink: [0, 0, 0, 0],
        range: [state.low, state.high, 0, 0], dark: state.dark ? 1 : 0,
      };
      const { solid, through, dots } = this.glyphs.now(centre);
      if (state.glyphs.shadow) this.#drawShadow(common, centre, solid);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.disable(gl.DEPTH_TEST);
      this.#use("back", { ...common, ink: scene.background ? [...colour(scene.background), 1] : [0, 0, 0, 0] });
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      gl.enable(gl.BLEND);
      if (state.glyphs.shadow && dot(this.camera.back, scene.up) > 0.02) this.#drawGround(common, centre);
      gl.enable(gl.DEPTH_TEST);
      gl.disable(gl.BLEND);
      this.#use("surface", common);
      this.#triangles(0, this.triangles);
      gl.enable(gl.BLEND);
      this.#drawLines(common, ratio);
      this.#drawPieces(solid, common);
      this.#drawTransparent(common, ratio);
      for (const [ink, hidden] of [[[0, 0, 0, 0.3], true], [[0, 0, 0, 1], false]]) {
        gl.depthFunc(hidden ? gl.GREATER : gl.LEQUAL);
        gl.depthMask(!hidden);
        this.#drawPieces(through, { ...common, ink });
        this.#drawDots(dots, { ...common, ink }, ratio);
      }
      if (state.glyphs.axes) this.#drawTriad(common, ratio);
    }

    #opacity(index) {
      const { hidden, opacity, glyphs } = this.state, part = this.scene.parts[index];
      return hidden.has(index) || (part.group === "joints" && !glyphs.joints) ? 0 : opacity.get(index) ?? part.opacity ?? 1;
    }

    #clip(centre) {
      const { clip } = this.state;
      return clip ? [...clip.normal, clip.offset - dot(clip.normal, centre)] : [0, 0, 0, 3e38];
    }

    // Cells of all parts; positions, values and normals if anything that they depend on has changed.
    #evaluate(centre) {
      const { gl, state, scene, cells } = this, { quantity } = state, stressed = source(quantity) === "stress";
      scene.parts.forEach((part, i) => {
        const mesh = this.meshes[i], { R, p } = this.#partPose(part), place = add(p, centre, -1), from = 4 * CELLS * i;
        const coloured = quantity !== "body" && Boolean(part[source(quantity)]);
        let next = mesh.coefficient;
        const lists = [part.displacement, stressed ? part.stress : null].flatMap((fields, kind) => {
          const start = next;
          if (fields) {
            const c = this.#now(fields.coefficients, fields.count, 0, fields.count), size = mesh.largest[kind];
            const least = 1e-6 * c.reduce((sum, x, k) => sum + Math.abs(x) * size[k], 0);
            c.forEach((x, k) => Math.abs(x) * size[k] > least && cells.set([x, k], 4 * next++));
          }
          return [start, next - start];
        });
        const tone = coloured || quantity === "body" ? part.color : GREY;
        cells.set([...R.slice(0, 3), place[0], ...R.slice(3, 6), place[1], ...R.slice(6), place[2]], from);
        cells.set([...tone, this.#opacity(i), mesh.row, mesh.source.length, state.scale, mesh.first, ...lists], from + 12);
        cells.set([coloured ? 1 : 0, mesh.closed ? 1 : 0, part.displacement?.count ?? 0, 0], from + 24);
      });
      gl.activeTexture(gl.TEXTURE0 + UNITS.frame);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1024, cells.length / 4096, gl.RGBA, gl.FLOAT, cells);
      const key = JSON.stringify([state.frame, state.scale, quantity, centre]);
      if (key === this.#key) return;
      this.#key = key;
      if (quantity === "pressure") this.#uploadPressures();
      this.#use("evaluate", { quantity: QUANTITIES.indexOf(quantity) });
      gl.bindVertexArray(this.arrays.evaluate);
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, this.feedback);
      gl.enable(gl.RASTERIZER_DISCARD);
      gl.beginTransformFeedback(gl.POINTS);
      gl.drawArrays(gl.POINTS, 0, this.count);
      gl.endTransformFeedback();
      gl.disable(gl.RASTERIZER_DISCARD);
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
      gl.bindBuffer(gl.PIXEL_UNPACK_BUFFER, this.places);
      gl.activeTexture(gl.TEXTURE0 + UNITS.points);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 2048, this.rows, gl.RGBA, gl.FLOAT, 0);
      gl.bindBuffer(gl.PIXEL_UNPACK_BUFFER, null);
    }

    #uploadPressures() {
      const { gl } = this;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.given);
      this.scene.parts.forEach((part, i) => {
        if (!part.pressure) return;
        const values = this.#pressures(part), { first, source } = this.meshes[i];
        gl.bufferSubData(gl.ARRAY_BUFFER, 4 * first, Float32Array.from(source, (point) => values[point]));
      });
    }

    #triangles(from, count) {
      const { gl } = this;
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.bindVertexArray(this.arrays.surface);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * from);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }

    #pairs(name, program, uniforms) {
      const { gl } = this, count = this.pairs[name];
      if (!count) return;
      this.#use(program, uniforms);
      gl.bindVertexArray(this.arrays[name]);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    }

    #drawLines(common, ratio) {
      if (this.state.edges) this.#pairs("edges", "line", { ...common, width: 1.0 * ratio, ink: [0.12, 0.12, 0.12, 0.55] });
      this.#pairs("features", "line", { ...common, width: 1.3 * ratio, ink: [0.3, 0.3, 0.3, 0.9] });
      this.#pairs("lines", "line", { ...common, width: 3 * ratio });
    }

    #drawTransparent(common, ratio) {
      const { gl, camera, scene } = this, centre = camera.centre, pass = [0, 0.999], { clear } = this;
      const order = scene.parts.map((_, i) => i).filter((i) => this.#opacity(i) > 0 && this.#opacity(i) <= 0.999);
      if (!order.length) return;
      const depth = new Map(order.map((i) => [i, dot(camera.back, this.#middle(i))]));
      order.sort((a, b) => depth.get(a) - depth.get(b));
      gl.depthMask(false);
      gl.enable(gl.CULL_FACE);
      this.#use("surface", { ...common, pass });
      for (const i of order)
        for (const side of [gl.FRONT, gl.BACK]) {
          gl.cullFace(side);
          this.#triangles(this.meshes[i].triangle, this.meshes[i].corners.length);
        }
      gl.disable(gl.CULL_FACE);
      this.#drawLines({ ...common, pass }, ratio);
      gl.depthMask(true);
    }

    #middle(index) {
      const part = this.scene.parts[index], { R, p } = this.#partPose(part);
      this.meshes[index].middle ??= middle(part.points);
      return add(p, apply(R, this.meshes[index].middle));
    }

    #drawPieces(list, uniforms, program = "tube") {
      const { gl } = this;
      if (!list.length) return;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.pieces);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(list), gl.DYNAMIC_DRAW);
      this.#use(program, { ink: [0, 0, 0, 1], ...uniforms, ...(uniforms.ink?.[3] ? {} : { ink: [0, 0, 0, 1] }) });
      gl.bindVertexArray(this.arrays.pieces);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 26, list.length / 18);
    }

    #drawDots(list, uniforms, ratio) {
      const { gl } = this;
      if (!list.length) return;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.dots);
      gl.bufferData(gl.ARRAY_BUFFER, Float32Array.from(list, (x, i) => (i % 8 === 3 ? x * ratio : x)), gl.DYNAMIC_DRAW);
      this.#use("dot", uniforms);
      gl.bindVertexArray(this.arrays.dots);
      gl.drawArrays(gl.POINTS, 0, list.length / 8);
    }

    #drawTriad(common, ratio) {
      const { gl, camera } = this, side = 92 * ratio, { right, above, back } = camera;
      const view = [0, 1, 2].flatMap((k) => [right[k], above[k], -0.4 * back[k], 0]).concat([0, 0, -0.5, 1]);
      const uniforms = { ...common, view, eye: [...back, 0], ink: [0, 0, 0, 1] }, { through, dots } = flexmbs.Glyphs.triad();
      gl.viewport(0, 0, side, side);
      gl.enable(gl.SCISSOR_TEST);
      gl.scissor(0, 0, side, side);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      this.#drawPieces(through, uniforms);
      this.#drawDots(dots, uniforms, ratio);
      gl.disable(gl.SCISSOR_TEST);
    }

    // The plane below the motion: {level m, reach m, its middle relative to `centre`, two directions}.
    #plane(centre) {
      const { up, bounds } = this.scene, corners = this.camera.corners(), size = this.camera.diagonal;
      const level = Math.min(...corners.map((c) => dot(c, up))) - 0.002 * size, e = across(up), f = cross(up, e);
      const middle = times(add(bounds.low, bounds.high), 0.5), foot = add(middle, up, level - dot(middle, up));
      return { level, reach: 0.56 * size, foot, place: add(foot, centre, -1), e, f };
    }

    #drawShadow(common, centre, solid) {
      const { gl, scene } = this, { reach, place, e, f } = this.#plane(centre), height = this.camera.diagonal;
      const rows = [times(e, 1 / reach), times(f, 1 / reach), times(scene.up, 2 / height)];
      const view = [0, 1, 2].flatMap((j) => [...rows.map((r) => r[j]), 0]);
      view.push(...rows.map((r, k) => -dot(r, place) - (k === 2 ? 1 : 0)), 1);
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
      gl.viewport(0, 0, SHADOW, SHADOW);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.disable(gl.DEPTH_TEST);
      gl.enable(gl.BLEND);
      gl.blendEquation(gl.MAX);
      const uniforms = { ...common, view, pass: [0, 1], size: [SHADOW, SHADOW], width: 4, ink: [0, 0, 0, 0] };
      this.#use("shadow", uniforms);
      this.#triangles(0, this.triangles);
      this.#pairs("lines", "shadowLine", uniforms);
      this.#drawPieces(solid, uniforms, "shadowTube");
      gl.blendEquation(gl.FUNC_ADD);
      gl.activeTexture(gl.TEXTURE0 + UNITS.shadow);
      gl.bindTexture(gl.TEXTURE_2D, this.shadowTexture);
      gl.generateMipmap(gl.TEXTURE_2D);
    }

    #drawGround(common, centre) {
      const { gl } = this, { reach, foot, place, e, f } = this.#plane(centre), wide = 2 * reach, power = 10 ** Math.floor(Math.log10(reach / 2));
      const spacing = power * [5, 2, 1].find((k) => k * power <= reach / 2);
      const start = [e, f].map((axis) => (dot(foot, axis) / spacing) % 1);
      this.#use("ground", {
        ...common, corner: place, along: times(e, wide), beside: times(f, wide), spacing, start, range: [0, 0, wide, wide / reach],
      });
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }

    // ---- What was drawn ----

    // The nearest node of the part that is seen at x, y, or a few pixels from there: {part, point}, or null.
    pick(x, y) {
      const { gl, canvas } = this, centre = this.camera.centre, { matrix: m } = this.camera.view(canvas.width / canvas.height);
      if (gl.isContextLost()) return null;
      this.#evaluate(centre);
      const { clientWidth: w, clientHeight: h } = canvas, at = [(2 * x) / w - 1, 1 - (2 * y) / h];
      const zoomed = m.map((value, k) => (k % 4 > 1 ? value : ((value - at[k % 4] * m[k - (k % 4) + 3]) * [w, h][k % 4]) / PICKED));
      const found = new Uint32Array(4 * PICKED * PICKED);
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickFrame);
      gl.viewport(0, 0, PICKED, PICKED);
      gl.enable(gl.DEPTH_TEST);
      gl.disable(gl.BLEND);
      gl.depthFunc(gl.LEQUAL);
      gl.depthMask(true);
      for (const opacity of [0.5, 0]) {
        gl.clearBufferuiv(gl.COLOR, 0, [0, 0, 0, 0]);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        const uniforms = { view: zoomed, clip: this.#clip(centre), pass: [opacity, 1], size: [PICKED, PICKED], width: 2, ink: [0, 0, 0, 0] };
        this.#use("pick", uniforms);
        this.#triangles(0, this.triangles);
        this.#pairs("lines", "pickLine", uniforms);
        gl.readPixels(0, 0, PICKED, PICKED, gl.RGBA_INTEGER, gl.UNSIGNED_INT, found);
        const pixel = nearestPixel(found);
        if (pixel < 0) continue;
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        const place = new Float32Array(found.buffer, 16 * pixel, 3), part = found[4 * pixel + 3] - 1;
        return { part, point: nearestPoint(this.#read(part), place) };
      }
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      return null;
    }

    // What stands in the buffer for the points of a part: places (n, 3) m and values (n) at the present state.
    readback(index) {
      const centre = this.camera.centre;
      this.#evaluate(centre);
      const found = this.#read(index), n = found.length / 4;
      const positions = Float64Array.from({ length: 3 * n }, (_, i) => found[4 * Math.floor(i / 3) + (i % 3)] + centre[i % 3]);
      return { positions, values: Float32Array.from({ length: n }, (_, i) => found[4 * i + 3]) };
    }

    #read(index) {
      const { gl } = this, found = new Float32Array((4 * this.scene.parts[index].points.length) / 3);
      gl.bindBuffer(gl.COPY_READ_BUFFER, this.places);
      gl.getBufferSubData(gl.COPY_READ_BUFFER, 16 * this.meshes[index].first, found);
      gl.bindBuffer(gl.COPY_READ_BUFFER, null);
      return found;
    }

    // ---- Programs, textures, buffers ----

    #use(name, uniforms) {
      const { gl } = this, program = this.programs[name];
      gl.useProgram(program);
      for (const [key, value] of Object.entries(uniforms)) {
        const place = (program.at[key] ??= gl.getUniformLocation(program, key));
        if (typeof value === "number") gl.uniform1f(place, value);
        else if (value.length === 16) gl.uniformMatrix4fv(place, false, value);
        else gl[`uniform${value.length}fv`](place, value);
      }
    }

    #build() {
      const { gl } = this;
      this.#key = "";
      this.programs = Object.fromEntries(Object.entries(flexmbs.shaders).map(([name, pair]) => [name, program(gl, pair)]));
      gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
      gl.polygonOffset(1, 1);
      this.#buildTextures();
      this.#buildBuffers();
    }

    // A texture at the unit of that name, of `levels` sizes.
    #texture(name, internal, width, height, levels = 1) {
      const { gl } = this, texture = gl.createTexture(), linear = internal === gl.RGBA8;
      gl.activeTexture(gl.TEXTURE0 + UNITS[name]);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, levels, internal, width, height);
      const filter = levels > 1 ? gl.LINEAR_MIPMAP_LINEAR : linear ? gl.LINEAR : gl.NEAREST;
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, linear ? gl.LINEAR : gl.NEAREST);
      for (const way of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, way, gl.CLAMP_TO_EDGE);
      return texture;
    }

    #buildTextures() {
      const { gl, scene } = this, limit = gl.getParameter(gl.MAX_TEXTURE_SIZE), width = Math.min(4096, limit);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
      let rows = 0;
      scene.parts.forEach((part, i) => {
        this.meshes[i].row = rows;
        const fields = (part.displacement?.count ?? 0) + (part.stress?.count ?? 0);
        rows += Math.ceil((2 * this.meshes[i].source.length * fields) / width);
      });
      if (rows > limit) throw new Error("The modes of this scene do not fit into the memory of this graphics card.");
      this.#texture("fields", gl.RGB32F, width, Math.max(1, rows));
      scene.parts.forEach((part, i) => {
        const texels = flexmbs.texels(part, this.meshes[i]), first = this.meshes[i].row;
        const full = Math.floor(texels.length / 3 / width), rest = texels.length / 3 - full * width;
        const upload = (...place) => gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, ...place);
        if (full) upload(first, width, full, gl.RGB, gl.FLOAT, texels);
        if (rest) upload(first + full, rest, 1, gl.RGB, gl.FLOAT, texels, 3 * full * width);
      });
      this.#texture("frame", gl.RGBA32F, 1024, this.cells.length / 4096);
      this.rows = Math.max(1, Math.ceil(this.count / 2048));
      this.#texture("points", gl.RGBA32F, 2048, this.rows);
      const map = Uint8Array.from({ length: 1024 }, (_, i) => (i % 4 === 3 ? 255 : scene.colours[3 * Math.floor(i / 4) + (i % 4)]));
      this.#texture("colours", gl.RGBA8, 256, 1);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 256, 1, gl.RGBA, gl.UNSIGNED_BYTE, map);
      const canvas = Object.assign(document.createElement("canvas"), { width: 192, height: 64 }), pen = canvas.getContext("2d");
      Object.assign(pen, { font: "bold 52px sans-serif", textAlign: "center", textBaseline: "middle", fillStyle: "#fff" });
      [..."xyz"].forEach((letter, k) => pen.fillText(letter, 32 + 64 * k, 32));
      this.#texture("letters", gl.RGBA8, 192, 64);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 192, 64, gl.RGBA, gl.UNSIGNED_BYTE, pen.getImageData(0, 0, 192, 64).data);
      this.pickFrame = this.#target(this.#texture("shadow", gl.RGBA32UI, PICKED, PICKED), gl.DEPTH_COMPONENT24, PICKED);
      this.shadowFrame = this.#target((this.shadowTexture = this.#texture("shadow", gl.RGBA8, SHADOW, SHADOW, 9)));
    }

    #target(texture, depth, size) {
      const { gl } = this, frame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      if (depth) {
        gl.bindRenderbuffer(gl.RENDERBUFFER, gl.createRenderbuffer());
        gl.renderbufferStorage(gl.RENDERBUFFER, depth, size, size);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, gl.getParameter(gl.RENDERBUFFER_BINDING));
      }
      return frame;
    }

    #buffer(content) {
      const { gl } = this, buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, content, typeof content === "number" ? gl.DYNAMIC_COPY : gl.STATIC_DRAW);
      return buffer;
    }

    // Attributes: [buffer, numbers, bytes from one to the next, first byte, whether integers, whether one an instance].
    #array(attributes) {
      const { gl } = this, array = gl.createVertexArray();
      gl.bindVertexArray(array);
      attributes.forEach(([buffer, size, stride = 0, start = 0, integers, divisor = 0], k) => {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.enableVertexAttribArray(k);
        if (integers) gl.vertexAttribIPointer(k, size, gl.UNSIGNED_INT, stride, start);
        else gl.vertexAttribPointer(k, size, gl.FLOAT, false, stride, start);
        gl.vertexAttribDivisor(k, divisor);
      });
      return array;
    }

    #buildBuffers() {
      const { gl, scene, meshes, count } = this, rest = new Float32Array(3 * count), normals = new Float32Array(3 * count);
      const parts = new Uint32Array(count);
      this.triangles = meshes.reduce((sum, mesh) => sum + mesh.corners.length, 0);
      const triangles = new Uint32Array(this.triangles), pairs = { features: [], edges: [], lines: [] };
      let triangle = 0;
      meshes.forEach((mesh, i) => {
        const { first, source, corners } = mesh, part = scene.parts[i];
        source.forEach((point, p) => rest.set(row(part.points, point), 3 * (first + p)));
        normals.set(mesh.normals, 3 * first);
        parts.fill(i, first, first + source.length);
        triangles.set(corners.map((corner) => first + corner), triangle);
        mesh.triangle = triangle;
        triangle += corners.length;
        for (const [name, list] of [["features", mesh.features], ["edges", part.edges], ["lines", part.lines]])
          for (let k = 0; k < list.length; k += 2) pairs[name].push(first + list[k], first + list[k + 1], i);
      });
      this.given = this.#buffer(4 * Math.max(1, count));
      const part = this.#buffer(parts), size = 2048 * this.rows;
      [this.places, this.pieces, this.dots] = [this.#buffer(16 * size), this.#buffer(72), this.#buffer(32)];
      const facing = this.#buffer(12 * size);
      this.feedback = gl.createTransformFeedback();
      this.arrays = {
        evaluate: this.#array([[this.#buffer(rest), 3], [this.#buffer(normals), 3], [part, 1, 0, 0, true], [this.given, 1]]),
        surface: this.#array([[this.places, 4], [facing, 3], [part, 1, 0, 0, true]]),
        pieces: this.#array([[0, 4], [16, 4], [32, 3], [44, 3], [56, 4]].map(([start, n]) => [this.pieces, n, 72, start, false, 1])),
        dots: this.#array([[this.dots, 4, 32, 0], [this.dots, 4, 32, 16]]),
      };
      for (const name in pairs) this.arrays[name] = this.#array([[this.#buffer(Uint32Array.from(pairs[name])), 3, 0, 0, true, 1]]);
      this.pairs = Object.fromEntries(Object.entries(pairs).map(([name, list]) => [name, list.length / 3]));
      gl.bindVertexArray(this.arrays.surface);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
      gl.bindVertexArray(null);
      gl.bindBuffer(gl.ARRAY_BUFFER, null);
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, this.feedback);
      gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, this.places);
      gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 1, facing);
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    }
  };

  const source = (quantity) => ({ displacement: "displacement", pressure: "pressure", body: "" })[quantity] ?? "stress";

  // Largest components of fields.
  function largest(fields) {
    if (!fields) return [];
    const size = fields.fields.length / fields.count;
    return Array.from({ length: fields.count }, (_, k) =>
      fields.fields.subarray(k * size, (k + 1) * size).reduce((most, x) => Math.max(most, Math.abs(x)), 0));
  }

  function middle(points) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    points.forEach((x, i) => ((low[i % 3] = Math.min(low[i % 3], x)), (high[i % 3] = Math.max(high[i % 3], x))));
    return times(add(low, high), 0.5);
  }

  // The largest (sign 1) or smallest (sign -1) principal stress, as in the shader.
  function principal(x, y, z, yz, xz, xy, sign) {
    const mean = (x + y + z) / 3, [a, b, c] = [x - mean, y - mean, z - mean];
    const p = Math.sqrt((a * a + b * b + c * c + 2 * (yz * yz + xz * xz + xy * xy)) / 6);
    if (!(p > 1e-12 * Math.abs(mean))) return mean;
    const half = (a * (b * c - yz * yz) - xy * (xy * c - xz * yz) + xz * (xy * yz - xz * b)) / (2 * p ** 3);
    return mean + sign * 2 * p * Math.cos(Math.acos(Math.max(-1, Math.min(1, sign * half))) / 3);
  }

  function nearestPixel(found) {
    let best = -1, least = Infinity;
    for (let k = 0; k < PICKED * PICKED; k++) {
      const distance = Math.hypot((k % PICKED) - (PICKED - 1) / 2, Math.floor(k / PICKED) - (PICKED - 1) / 2);
      if (found[4 * k + 3] && distance < least) [best, least] = [k, distance];
    }
    return best;
  }

  function nearestPoint(places, place) {
    let best = 0, least = Infinity;
    for (let k = 0; k < places.length / 4; k++) {
      const distance = Math.hypot(places[4 * k] - place[0], places[4 * k + 1] - place[1], places[4 * k + 2] - place[2]);
      if (distance < least) [best, least] = [k, distance];
    }
    return best;
  }

  function program(gl, [vertex, fragment]) {
    const made = gl.createProgram();
    for (const [type, code] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, code);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    ["rest", "normal", "part", "given"].forEach((name, k) => gl.bindAttribLocation(made, k, name));
    if (vertex.includes("out vec3 facing")) gl.transformFeedbackVaryings(made, ["place", "facing"], gl.SEPARATE_ATTRIBS);
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(gl.getProgramInfoLog(made) + gl.getAttachedShaders(made).map((s) => gl.getShaderInfoLog(s)).join(""));
    gl.useProgram(made);
    for (const name in UNITS) gl.uniform1i(gl.getUniformLocation(made, name), UNITS[name]);
    made.at = {};
    return made;
  }
}
