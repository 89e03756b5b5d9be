// flexmbs.Evaluation: places, values and normals of all points of all parts, by the graphics card.
//
// All points stand in one buffer. A transform feedback pass ("evaluate") superposes modes and stress modes, which are
// in a texture, for the frame, scale and quantity asked for; all that is drawn, picked or read back is what it wrote.
// Places are relative to the centre of the camera, so that single precision suffices from micrometres to kilometres.
// Normals are superposed like displacements (linear in the modes); values come from superposed stresses at points.
{
  const { add, row } = flexmbs.vectors;
  const QUANTITIES = ["body", "displacement", "von_mises", "principal_max", "principal_min", "pressure"];
  const CELLS = 8; // texels of a part in the texture "frame": see shaders.js
  const WIDE = 2048; // texels in a row of the texture "points"
  const LEAST = 1e-6; // modes that contribute less than that part of the sum are left out

  // Largest component of each field.
  const largestOf = (of) => Array.from({ length: of?.count ?? 0 }, (_, k) => {
    const size = of.fields.length / of.count;
    return of.fields.subarray(k * size, (k + 1) * size).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  });

  flexmbs.Evaluation = class extends flexmbs.Motion {
    #evaluated = "";

    constructor(scene, state) {
      super(scene, state);
      const known = new Map(); // parts may have the same surface
      this.points = this.corners = 0;
      this.coefficients = CELLS * scene.parts.length;
      this.meshes = scene.parts.map(({ points, triangles, displacement, stress }) => {
        const same = known.get(triangles), largest = [displacement, stress].map(largestOf);
        const fields = largest.flat().length;
        const surface = same?.points === points ? same.surface : flexmbs.surface(points, triangles);
        const { points: first, corners: corner, coefficients: coefficient } = this;
        const mesh = { ...surface, largest, fields, first, corner, coefficient };
        known.set(triangles, { points, surface });
        this.points += mesh.source.length;
        this.corners += triangles.length;
        this.coefficients += fields;
        return mesh;
      });
    }

    // Writes the cells of all parts; and all points if anything that they depend on has changed.
    evaluate() {
      const { gl, state, scene, graphics, cells, feedback } = this, { quantity } = state, { centre } = this.camera;
      scene.parts.forEach((part, i) => this.#writeCells(part, i, centre));
      gl.texSubImage2D(graphics.at("frame"), 0, 0, 0, 1024, cells.length / 4096, gl.RGBA, gl.FLOAT, cells);
      const evaluated = String([state.frame, state.scale, quantity, centre]);
      if (evaluated === this.#evaluated) return;
      this.#evaluated = evaluated;
      if (quantity === "pressure") this.#givePressures();
      graphics.use("evaluate", { quantity: QUANTITIES.indexOf(quantity) }, this.arrays.evaluate);
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, feedback);
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

    #writeCells(part, i, centre) {
      const { cells, state } = this, { quantity } = state, mesh = this.meshes[i], { R, p } = this.partPose(part);
      const place = add(p, centre, -1), coloured = this.has(part, quantity);
      const stress = quantity in part ? null : part.stress;
      const tone = coloured || quantity === "body" ? part.color : state.dark ? [0.54, 0.56, 0.59] : [0.74, 0.76, 0.79];
      let next = mesh.coefficient;
      const lists = [part.displacement, stress].flatMap((of, kind) => {
        const c = of ? this.now(of.coefficients, of.count, 0, of.count) : [], first = next;
        const sizes = c.map((x, k) => Math.abs(x) * mesh.largest[kind][k]);
        const least = LEAST * sizes.reduce((sum, size) => sum + size, 0);
        c.forEach((x, k) => sizes[k] > least && cells.set([x, k], 4 * next++));
        return [first, next - first];
      });
      cells.set([
        ...R.slice(0, 3), place[0], ...R.slice(3, 6), place[1], ...R.slice(6), place[2], ...tone, this.opacity(i),
        mesh.row, mesh.source.length, state.scale, mesh.first, ...lists, coloured, mesh.closed,
        part.displacement?.count ?? 0,
      ], 4 * CELLS * i);
    }

    #givePressures() {
      const given = new Float32Array(this.points);
      this.scene.parts.forEach((part, i) => {
        const values = part.pressure && this.pressures(part);
        if (values) given.set(this.meshes[i].source.map((point) => values[point]), this.meshes[i].first);
      });
      this.graphics.buffer(given, this.given);
    }

    // What stands in the buffer for the points of a part: positions (3 n) m and values (n).
    readback(part) {
      this.evaluate();
      const found = this.read(part), { centre } = this.camera;
      const positions = Float64Array.from(found.filter((_, i) => i % 4 < 3), (x, i) => x + centre[i % 3]);
      return { positions, values: found.filter((_, i) => i % 4 === 3) };
    }

    // [place relative to the centre, value] of each point of a part.
    read(part) {
      const { gl } = this, found = new Float32Array((4 * this.scene.parts[part].points.length) / 3);
      gl.bindBuffer(gl.COPY_READ_BUFFER, this.places);
      gl.getBufferSubData(gl.COPY_READ_BUFFER, 16 * this.meshes[part].first, found);
      gl.bindBuffer(gl.COPY_READ_BUFFER, null);
      return found;
    }

    // Programs, textures and buffers; again when the graphics card was lost and is back.
    build() {
      const { gl } = this, graphics = (this.graphics = new flexmbs.Graphics(gl));
      this.#evaluated = "";
      this.rows = Math.ceil(this.points / WIDE) || 1;
      this.cells = new Float32Array(4096 * (Math.ceil(this.coefficients / 1024) || 1));
      graphics.texture("frame", gl.RGBA32F, 1024, this.cells.length / 4096);
      graphics.texture("points", gl.RGBA32F, WIDE, this.rows);
      this.#buildFields();
      this.#buildArrays();
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
        const texels = flexmbs.texels(part, meshes[i]), count = texels.length / 3;
        const full = Math.floor(count / wide), rest = count % wide;
        const put = (row, ...what) => gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, meshes[i].row + row, ...what);
        if (full) put(0, wide, full, gl.RGB, gl.FLOAT, texels);
        if (rest) put(full, rest, 1, gl.RGB, gl.FLOAT, texels, 3 * full * wide);
      });
    }

    #buildArrays() {
      const { gl, scene, meshes, graphics, points } = this, size = 4 * WIDE * this.rows;
      const triangles = new Uint32Array(this.corners);
      const rest = new Float32Array(3 * points), normals = new Float32Array(3 * points);
      const owners = new Uint32Array(points);
      meshes.forEach(({ first, corner, source, corners, normals: own }, i) => {
        source.forEach((point, k) => rest.set(row(scene.parts[i].points, point), 3 * (first + k)));
        normals.set(own, 3 * first);
        owners.fill(i, first, first + source.length);
        triangles.set(corners.map((k) => first + k), corner);
      });
      const [owner, facing] = [owners, 3 * size].map((content) => graphics.buffer(content));
      [this.places, this.given] = [4 * size, 4 * points || 4].map((bytes) => graphics.buffer(bytes));
      const { given } = this;
      this.arrays = {
        evaluate: graphics.array([[graphics.buffer(rest), 3], [graphics.buffer(normals), 3], [owner, -1], [given, 1]]),
        features: this.#pairs(meshes.map((mesh) => mesh.features)),
        edges: this.#pairs(scene.parts.map((part) => part.edges)),
        lines: this.#pairs(scene.parts.map((part) => part.lines)),
        surface: graphics.array([[this.places, 4], [facing, 3], [owner, -1]]),
      };
      graphics.buffer(triangles, gl.createBuffer(), gl.ELEMENT_ARRAY_BUFFER); // of the array bound last: surface
      gl.bindVertexArray(null);
      gl.bindBuffer(gl.ARRAY_BUFFER, null);
      this.feedback = gl.createTransformFeedback();
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, this.feedback);
      [this.places, facing].forEach((buffer, k) => gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, k, buffer));
      gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    }

    // An array of [point, point, part], from the pairs of points of each part.
    #pairs(lists) {
      const count = lists.reduce((sum, list) => sum + list.length / 2, 0), found = new Uint32Array(3 * count);
      let at = 0;
      lists.forEach((list, i) => {
        for (let k = 0; k < list.length; k++) {
          found[at++] = this.meshes[i].first + list[k];
          if (k % 2) found[at++] = i;
        }
      });
      return Object.assign(this.graphics.array([[this.graphics.buffer(found), -3]], 1), { count });
    }
  };
}
