// flexmbs.Graphics: programs, textures and buffers of WebGL2.
{
  // Units of textures that shaders read.
  const UNITS = { fields: 0, frame: 1, points: 2, colours: 3, shadow: 4 };

  flexmbs.Graphics = class {
    constructor(gl) {
      this.gl = gl;
      this.programs = new Map(flexmbs.shaders.map(([name, ...codes]) => [name, this.#program(codes)]));
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    }

    #program(codes) {
      const { gl } = this, program = gl.createProgram(), places = new Map();
      const shaders = codes.map((code, k) => {
        const shader = gl.createShader(k ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
        gl.shaderSource(shader, code);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
        return shader;
      });
      if (codes[0].includes("out vec3 facing")) {
        ["rest", "normal", "part", "given"].forEach((name, k) => gl.bindAttribLocation(program, k, name));
        gl.transformFeedbackVaryings(program, ["place", "facing"], gl.SEPARATE_ATTRIBS);
      }
      gl.linkProgram(program);
      if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
        throw new Error(gl.getProgramInfoLog(program) + shaders.map((shader) => gl.getShaderInfoLog(shader)).join(""));
      gl.useProgram(program);
      for (const name in UNITS) gl.uniform1i(gl.getUniformLocation(program, name), UNITS[name]);
      return { program, places };
    }

    // Draws with that program, uniforms and array next.
    use(name, uniforms, array = null) {
      const { gl } = this, { program, places } = this.programs.get(name);
      gl.useProgram(program);
      gl.bindVertexArray(array);
      for (const [key, value] of Object.entries(uniforms)) {
        if (!places.has(key)) places.set(key, gl.getUniformLocation(program, key));
        if (value.length === 16) gl.uniformMatrix4fv(places.get(key), false, value);
        else gl[`uniform${value.length ?? 1}f${value.length ? "v" : ""}`](places.get(key), value);
      }
    }

    at(name) {
      this.gl.activeTexture(this.gl.TEXTURE0 + UNITS[name]);
      return this.gl.TEXTURE_2D;
    }

    // A texture at the unit of that name, of `levels` sizes.
    texture(name, format, width, height, levels = 1) {
      const { gl } = this, target = this.at(name), texture = gl.createTexture();
      const smooth = format === gl.RGBA8 || format === gl.RGB8;
      gl.bindTexture(target, texture);
      gl.texStorage2D(target, levels, format, width, height);
      const filter = smooth ? gl.LINEAR : gl.NEAREST;
      gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, levels > 1 ? gl.LINEAR_MIPMAP_LINEAR : filter);
      gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, filter);
      for (const way of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(target, way, gl.CLAMP_TO_EDGE);
      return texture;
    }

    // What draws into a square texture.
    target(texture, size) {
      const { gl } = this, frame = gl.createFramebuffer(), depth = gl.createRenderbuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
      gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, size, size);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
      return frame;
    }

    buffer(content, buffer = this.gl.createBuffer(), target = this.gl.ARRAY_BUFFER) {
      this.gl.bindBuffer(target, buffer);
      this.gl.bufferData(target, content, this.gl.DYNAMIC_DRAW);
      return buffer;
    }

    // Attributes from buffers: [buffer, sizes of attributes that stand in it one after the other (negative: integers)].
    array(buffers, divisor = 0) {
      const { gl } = this, array = gl.createVertexArray();
      let k = 0;
      gl.bindVertexArray(array);
      for (const [buffer, ...sizes] of buffers) {
        const stride = 4 * sizes.reduce((sum, size) => sum + Math.abs(size), 0);
        let start = 0;
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        for (const size of sizes) {
          gl.enableVertexAttribArray(k);
          if (size < 0) gl.vertexAttribIPointer(k, -size, gl.UNSIGNED_INT, stride, start);
          else gl.vertexAttribPointer(k, size, gl.FLOAT, false, stride, start);
          gl.vertexAttribDivisor(k++, divisor);
          start += 4 * size;
        }
      }
      return array;
    }
  };
}
