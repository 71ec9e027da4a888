// An API that the tests add as a source: a small workshop with members and bookings, behind a key. It tells what it was asked.
import { createServer } from 'node:http'

export const key = 'key-of-the-workshop-7f3a'

const booking = { type: 'object', required: ['machine', 'day'], properties: { machine: { type: 'string', enum: ['laser', 'lathe'] }, day: { type: 'string', format: 'date' }, note: { type: 'string' } } }
const answer = (schema) => ({ 200: { description: 'ok', content: { 'application/json': { schema } } } })
const list = { type: 'array', items: { $ref: '#/components/schemas/Booking' } }

function paths() {
  return {
    '/ping': { get: { operationId: 'ping', tags: ['desk'], summary: 'Whether the desk is open', responses: answer({ type: 'object' }) } },
    '/bookings': {
      get: { operationId: 'list', tags: ['bookings'], summary: 'List the bookings of a machine', parameters: [{ name: 'machine', in: 'query', required: true, schema: { type: 'string', enum: ['laser', 'lathe'] } }], responses: answer(list) },
      post: { operationId: 'create', tags: ['bookings'], summary: 'Book a machine for a day', requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Booking' } } } }, responses: answer({ $ref: '#/components/schemas/Booking' }) },
    },
    '/bookings/{id}': { delete: { operationId: 'cancel', tags: ['bookings'], summary: 'Cancel a booking', parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }], responses: { 204: { description: 'gone' } } } },
    '/members': { get: { operationId: 'list', tags: ['members'], summary: 'List the members', responses: answer({ type: 'array', items: { type: 'object' } }) } },
  }
}

export async function openApi() {
  const spec = {
    openapi: '3.1.0', info: { title: 'Makers’ Workshop', version: '1.0.0', description: 'Bookings and members of a workshop.' }, servers: [],
    components: { schemas: { Booking: booking }, securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } }, security: [{ key: [] }], paths: paths(),
  }
  const asked = []
  const server = createServer((req, res) => {
    let text = ''
    req.on('data', (d) => { text += d })
    req.on('end', () => {
      const say = (status, body) => { res.writeHead(status, { 'content-type': 'application/json' }); res.end(body === undefined ? undefined : JSON.stringify(body)) }
      const { pathname, searchParams } = new URL(req.url, 'http://api')
      if (pathname === '/openapi.json') return say(200, spec)
      if (req.headers['x-api-key'] !== key) return say(pathname.match(/^\/(ping|bookings|members)/) ? 401 : 404, { message: 'no such key' })
      asked.push({ method: req.method, path: pathname, body: text === '' ? undefined : JSON.parse(text) })
      if (pathname === '/ping') return say(200, { open: true })
      if (pathname === '/members') return say(200, [{ name: 'Ada' }, { name: 'Grace' }])
      if (req.method === 'GET') return say(200, [{ machine: searchParams.get('machine'), day: '2026-12-01' }])
      return req.method === 'POST' ? say(200, { id: asked.length, ...JSON.parse(text) }) : say(204)
    })
  })
  await new Promise((done) => { server.listen(0, '127.0.0.1', done) })
  const url = `http://127.0.0.1:${server.address().port}`
  spec.servers.push({ url })
  return {
    url, asked, spec,
    /** How often something was asked for, since the last time. */
    take: () => asked.splice(0),
    /** The API becomes another: one operation says something else, one is new, one is gone. */
    change() {
      spec.info.version = '1.1.0'
      spec.paths['/bookings'].post.summary = 'Book a machine for a day, and charge for it'
      spec.paths['/invoices'] = { get: { operationId: 'list', tags: ['invoices'], summary: 'List the invoices', responses: answer({ type: 'array', items: {} }) } }
      delete spec.paths['/members']
    },
    close: () => { server.closeAllConnections(); server.close() },
  }
}
