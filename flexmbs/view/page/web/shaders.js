// Shaders of flexmbs.Renderer (renderer.js says which pass draws what).
{
  const COMMON = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
uniform sampler2D fields, frame, points, colours, shadow, letters;
uniform mat4 view;
uniform vec4 eye, clip, range, ink; // eye: place, or direction (w = 0); clip: kept where dot(clip, place) <= clip.w
uniform vec3 right, above, up;
uniform vec2 size, pass; // pixels; opacities drawn in this pass
uniform float quantity, width, dark;
vec4 cell(int i) { return texelFetch(frame, ivec2(i & 1023, i >> 10), 0); }
vec3 shade(vec3 n, vec3 p, vec3 colour) { // headlight above the left shoulder, a weak one from the right, sky and ground
  vec3 v = normalize(eye.xyz - p * eye.w), base = pow(colour, vec3(2.2));
  vec3 key = normalize(v + 0.45 * above - 0.35 * right), fill = normalize(v * 0.3 + right - 0.2 * above);
  vec3 sky = mix(vec3(0.30, 0.28, 0.26), vec3(0.62, 0.66, 0.72), 0.5 + 0.5 * dot(n, up));
  float shine = pow(max(dot(n, normalize(key + v)), 0.0), 40.0), rim = pow(1.0 - max(dot(n, v), 0.0), 4.0);
  vec3 lit = base * (0.55 * sky + 0.72 * max(dot(n, key), 0.0) + 0.16 * max(dot(n, fill), 0.0));
  return pow(lit + 0.10 * shine + 0.08 * rim * sky, vec3(1.0 / 2.2));
}
vec3 tint(vec4 own, float value, float coloured) {
  float t = clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  return coloured > 0.5 ? texture(colours, vec2((t * 255.0 + 0.5) / 256.0, 0.5)).rgb : own.rgb;
}
`;
  // Cells of a part in `frame`: 0-2 rotation | place, 3 colour and opacity, 4 first row of its fields, points, scale,
  // first point, 5 first coefficient and count of modes, the same of stress modes, 6 coloured, closed, modes stored.
  const EVALUATE = `in vec3 rest; in vec3 normal; in uint part; in float given;
out vec4 place; out vec3 facing;
vec3 field(float row, int i) {
  int across = textureSize(fields, 0).x;
  return texelFetch(fields, ivec2(i % across, int(row) + i / across), 0).xyz;
}
float largest(vec3 d, vec3 s, float sign) { // principal stress: d normal, s shear components
  float unit = max(max(length(d), length(s)), 1e-30), mean = (d.x + d.y + d.z) / 3.0 / unit;
  vec3 k = d / unit - mean, t = s / unit;
  float p = sqrt((dot(k, k) + 2.0 * dot(t, t)) / 6.0);
  if (p < 1e-6) return mean * unit; // all three are equal
  k /= p; t /= p;
  float q = 0.5 * (k.x * (k.y * k.z - t.x * t.x) - t.z * (t.z * k.z - t.x * t.y) + t.y * (t.z * t.x - k.y * t.y));
  float angle = acos(clamp(sign * q, -1.0, 1.0)) / 3.0;
  return unit * (mean + sign * 2.0 * p * cos(angle));
}
void main() {
  int at = int(part) * 8;
  vec4 x = cell(at), y = cell(at + 1), z = cell(at + 2), own = cell(at + 4), lists = cell(at + 5), more = cell(at + 6);
  int here = gl_VertexID - int(own.w), count = int(own.y);
  vec3 u = vec3(0), bent = vec3(0), d = vec3(0), s = vec3(0);
  for (int k = 0; k < int(lists.y); k++) {
    vec4 c = cell(int(lists.x) + k);
    int i = 2 * (int(c.y) * count + here);
    u += c.x * field(own.x, i);
    bent += c.x * field(own.x, i + 1);
  }
  for (int k = 0; k < int(lists.w); k++) {
    vec4 c = cell(int(lists.z) + k);
    int i = 2 * ((int(more.z) + int(c.y)) * count + here);
    d += c.x * field(own.x, i);
    s += c.x * field(own.x, i + 1); // yz xz xy
  }
  vec3 p = rest + own.z * u, n = normal + own.z * bent;
  place.xyz = vec3(dot(x.xyz, p) + x.w, dot(y.xyz, p) + y.w, dot(z.xyz, p) + z.w);
  facing = vec3(dot(x.xyz, n), dot(y.xyz, n), dot(z.xyz, n));
  vec3 e = d - d.yzx;
  place.w = quantity < 1.5 ? length(u) : quantity < 2.5 ? sqrt(0.5 * dot(e, e) + 3.0 * dot(s, s))
    : quantity < 3.5 ? largest(d, s, 1.0) : quantity < 4.5 ? largest(d, s, -1.0) : given;
}`;
  const SURFACE_POINT = `layout(location = 0) in vec4 place; layout(location = 1) in vec3 facing;
layout(location = 2) in uint part;
out vec3 p, n; out float value; flat out vec4 own; flat out vec3 how;
void main() {
  own = cell(int(part) * 8 + 3);
  how = vec3(cell(int(part) * 8 + 6).xy, part + 1u);
  p = place.xyz; n = facing; value = place.w;
  gl_Position = own.a > pass.x && own.a <= pass.y ? view * vec4(p, 1) : vec4(2, 2, 2, 1);
}`;
  const CUT = `float left = clip.w - dot(clip.xyz, p);
  if (left < 0.0) discard;`;
  const SURFACE = `in vec3 p, n; in float value; flat in vec4 own; flat in vec3 how; out vec4 color;
void main() {
  vec3 face = normalize(cross(dFdx(p), dFdy(p))); // turned towards the viewer
  float step = fwidth(clip.w - dot(clip.xyz, p));
  ${CUT}
  vec3 side = dot(n, n) < 1e-12 ? face : normalize(gl_FrontFacing ? n : -n);
  bool inside = clip.w < 1e30 && !gl_FrontFacing && how.y > 0.5;
  vec3 base = inside ? mix(own.rgb, vec3(0.5), 0.6) : tint(own, value, how.x);
  vec3 lit = inside ? shade(clip.xyz, p, base) : shade(side, p, base);
  if (clip.w < 1e30) lit = mix(vec3(0.08), lit, clamp(left / step - 0.8, 0.0, 1.0)); // rim of the cut
  color = vec4(lit, own.a);
}`;
  const PICK = `in vec3 p; flat in vec3 how; out uvec4 color;
void main() { ${CUT} color = uvec4(floatBitsToUint(p), uint(how.z)); }`;
  const SHADOW = `in vec3 p; flat in vec4 own; out vec4 color;
void main() { ${CUT} color = vec4(own.a * (1.0 - 0.7 * clamp(gl_FragCoord.z, 0.0, 1.0))); }`;
  // Lines of `width` pixels: four corners for each pair of points.
  const LINE_POINT = `layout(location = 0) in uvec3 pair;
out vec3 p; out float value; flat out vec4 own; flat out vec3 how;
vec4 point(uint i) { return texelFetch(points, ivec2(i & 2047u, i >> 11), 0); }
void main() {
  own = cell(int(pair.z) * 8 + 3);
  how = vec3(cell(int(pair.z) * 8 + 6).xy, pair.z + 1u);
  vec4 a = point(pair.x), b = point(pair.y), here = (gl_VertexID & 1) == 0 ? a : b;
  vec4 pa = view * vec4(a.xyz, 1), pb = view * vec4(b.xyz, 1);
  vec2 along = (pb.xy / pb.w - pa.xy / pa.w) * size;
  float length = length(along);
  along = length > 0.0 ? along / length : vec2(1, 0);
  p = here.xyz; value = here.w;
  gl_Position = (gl_VertexID & 1) == 0 ? pa : pb;
  gl_Position.xy += vec2(-along.y, along.x) * (float(gl_VertexID >> 1) - 0.5) * 2.0 * width / size * gl_Position.w;
  gl_Position.z -= 4e-5 * gl_Position.w;
  own.a *= ink.a > 0.0 ? ink.a * smoothstep(1.0, 12.0, length) : 1.0; // a fine mesh seen from afar is not all edges
  float opacity = cell(int(pair.z) * 8 + 3).a;
  if (opacity <= pass.x || opacity > pass.y || min(pa.w, pb.w) <= 0.0) gl_Position = vec4(2, 2, 2, 1);
}`;
  const LINE = `in vec3 p; in float value; flat in vec4 own; flat in vec3 how; out vec4 color;
void main() { ${CUT} color = vec4(ink.a > 0.0 ? own.rgb * ink.rgb : tint(own, value, how.x), own.a); }`;
  // Pieces of tubes and cones between rings that are square to the directions ta and tb.
  const TUBE_POINT = `layout(location = 0) in vec4 a; layout(location = 1) in vec4 b; layout(location = 2) in vec3 ta;
layout(location = 3) in vec3 tb; layout(location = 4) in vec4 colour;
out vec3 p, n; flat out vec4 own;
void main() {
  bool last = (gl_VertexID & 1) == 1;
  vec3 t = last ? tb : ta, axis = normalize(b.xyz - a.xyz);
  vec3 side = normalize(cross(axis, abs(axis.z) < 0.8 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  float angle = float(gl_VertexID >> 1) * 6.2831853 / 12.0;
  vec3 o = cos(angle) * side + sin(angle) * cross(axis, side);
  vec4 end = last ? b : a;
  p = end.xyz + end.w * (o - axis * dot(o, t) / dot(axis, t));
  n = (o - t * dot(o, t)) * length(b.xyz - a.xyz) + t * (a.w - b.w);
  own = colour;
  gl_Position = view * vec4(p, 1);
}`;
  const TUBE = `in vec3 p, n; flat in vec4 own; out vec4 color;
void main() { color = vec4(shade(normalize(n), p, own.rgb), own.a * ink.a); }`;
  const DOT_POINT = `layout(location = 0) in vec4 place; layout(location = 1) in vec4 colour; out vec4 own;
void main() { own = colour; gl_Position = view * vec4(place.xyz, 1); gl_Position.z -= 1e-4 * gl_Position.w; gl_PointSize = place.w; }`;
  const DOT = `in vec4 own; out vec4 color;
void main() {
  float r = 2.0 * length(gl_PointCoord - 0.5), soft = fwidth(r);
  if (own.a > 1.5) { // a letter
    vec2 at = vec2((gl_PointCoord.x + own.a - 2.0) / 3.0, gl_PointCoord.y);
    color = vec4(mix(own.rgb, vec3(1), 0.35 * dark), ink.a * texture(letters, at).a);
    return;
  }
  color = vec4(mix(own.rgb, vec3(1), smoothstep(0.62 - soft, 0.62, r)), ink.a * own.a * (1.0 - smoothstep(1.0 - soft, 1.0, r)));
}`;
  const BACK_POINT = `out vec2 at;
void main() { at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0; gl_Position = vec4(at, 1, 1); }`;
  const BACK = `in vec2 at; out vec4 color;
void main() {
  float h = 0.5 + 0.5 * at.y;
  vec3 c = ink.a > 0.0 ? ink.rgb : dark > 0.5 ? mix(vec3(0.16, 0.18, 0.21), vec3(0.08, 0.09, 0.11), h)
    : mix(vec3(0.86, 0.89, 0.92), vec3(0.98, 0.985, 0.99), h);
  color = vec4(c + (fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5) - 0.5) / 255.0, 1);
}`;
  const GROUND_POINT = `uniform vec3 corner, along, beside; out vec2 at; // the plane from -1 to 1 along two directions
void main() {
  at = 2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0;
  gl_Position = view * vec4(corner + at.x * along + at.y * beside, 1);
}`;
  const GROUND = `in vec2 at; uniform float spacing; uniform vec2 start; out vec4 color;
void main() {
  vec2 g = at * range.z / spacing + start, line = abs(fract(g - 0.5) - 0.5) / max(fwidth(g), 1e-6);
  float grid = max(1.0 - min(line.x, line.y), 0.0) * 0.10 * clamp(0.3 / max(fwidth(g).x, fwidth(g).y), 0.0, 1.0);
  float shade = 0.0;
  for (int k = 0; k < 5; k++) shade += textureLod(shadow, at * range.w * 0.5 + 0.5, float(k) + 0.5).a * 0.2;
  if (max(abs(at.x), abs(at.y)) * range.w > 1.0) shade = 0.0;
  float a = max(shade * (0.34 + 0.3 * dark), grid) * (1.0 - smoothstep(0.4, 1.0, length(at)));
  color = vec4(vec3(grid > shade * 0.34 ? dark : 0.0), a);
}`;

  const NOTHING = "out vec4 color; void main() { color = vec4(0); }";
  const pairs = {
    evaluate: [EVALUATE, NOTHING], surface: [SURFACE_POINT, SURFACE], pick: [SURFACE_POINT, PICK],
    shadow: [SURFACE_POINT, SHADOW], line: [LINE_POINT, LINE], pickLine: [LINE_POINT, PICK], shadowLine: [LINE_POINT, SHADOW],
    tube: [TUBE_POINT, TUBE], shadowTube: [TUBE_POINT, SHADOW], dot: [DOT_POINT, DOT], back: [BACK_POINT, BACK],
    ground: [GROUND_POINT, GROUND],
  };
  flexmbs.shaders = Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [name, pair.map((code) => COMMON + code)]));
}
