// Correct servers of a store of numbers, of many kinds: node server.js KIND PORT. DELETE /all empties the store.
const [kind, port] = [process.argv[2], +process.argv[3]];
let kv = new Map();
function act(method, path, body) {
  if (path === '/all') { kv.clear(); return [204, null]; }
  if (path === '/size') return [200, String(kv.size)];
  const key = path.split('/')[2];
  if (method === 'PUT') { kv.set(key, JSON.parse(body).n); return [204, null]; }
  if (!kv.has(key)) return [404, ''];
  if (method === 'GET' || method === 'HEAD') return [200, String(kv.get(key))];
  if (method === 'POST') { kv.set(key, kv.get(key) + JSON.parse(body).n); return [200, String(kv.get(key))]; }
  kv.delete(key); return [204, null];
}
const later = f => kind.endsWith('slow') ? setTimeout(f, Math.random() * 3) : f();
if (kind.startsWith('lines')) {
  const one = q => {
    if (q === 'Reset') { kv.clear(); return 'Done'; }
    if (q === 'Size') return { Value: { n: kv.size } };
    const [name, f] = Object.entries(q)[0];
    if (name === 'Put') { kv.set(f.key, f.n); return 'Done'; }
    if (!kv.has(f.key)) return 'Missing';
    if (name === 'Add') kv.set(f.key, kv.get(f.key) + f.n);
    if (name === 'Drop') { kv.delete(f.key); return 'Done'; }
    return { Value: { n: kv.get(f.key) } };
  };
  require('net').createServer(s => {
    s.setNoDelay(true); let buf = '', last = Promise.resolve();
    s.on('error', () => {});
    s.on('data', d => { buf += d; let at; while ((at = buf.indexOf('\n')) >= 0) { const q = JSON.parse(buf.slice(0, at)); buf = buf.slice(at + 1);
      last = last.then(() => new Promise(r => later(() => { s.write(JSON.stringify(one(q)) + '\n'); r(); }))); } });
  }).listen(port, '127.0.0.1');
} else if (kind === 'express') {
  const express = require('express'), app = express();
  app.use(express.text({ type: () => true }));
  app.use((req, res) => { const [s, t] = act(req.method, req.originalUrl, req.body); if (t === null) res.status(s).end(); else res.status(s).type('json').send(t); });
  app.listen(port, '127.0.0.1');
} else if (kind === 'fastify') {
  const app = require('fastify')();
  app.addContentTypeParser('*', { parseAs: 'string' }, (r, b, d) => d(null, b));
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (r, b, d) => d(null, b));
  app.all('/*', (req, res) => { const [s, t] = act(req.method, req.url, req.body); res.code(s).type('application/json').send(t === null ? undefined : t); });
  app.listen({ port, host: '127.0.0.1' });
} else {
  const server = require('http').createServer((req, res) => {
    let body = ''; req.on('data', d => body += d);
    req.on('end', () => later(() => {
      const [s, t] = act(req.method, req.url, body);
      later(() => {
        if (kind === 'node-close') res.setHeader('Connection', 'close');
        res.statusCode = s;
        if (t !== null && kind === 'node-length') res.setHeader('Content-Length', t.length);
        if (t && kind === 'node-stream') { for (const c of t) res.write(c); res.end(); } else res.end(t || '');
      });
    }));
  });
  if (kind === 'node-idle') { server.keepAliveTimeout = 5; }
  if (kind === 'node-nth') { server.maxRequestsPerSocket = 5; }
  server.listen(port, '127.0.0.1');
}
