import { Problem } from './problem'

// The access token lives in this module's memory only; the refresh token is a cookie that no script can read. A reload asks
// for a new access token once, and so does an answer of 401.
type Access = { token: string; expiresAt: number }

let access: Access | undefined
let pending: Promise<Access | undefined> | undefined

const early = 30_000

async function post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response> {
  try {
    return await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) })
  } catch {
    throw Problem.unreachable()
  }
}

async function refresh(): Promise<Access | undefined> {
  const res = await post('/v1/auth/refresh', {})
  if (res.status === 401 || res.status === 403) return undefined
  if (!res.ok) throw await Problem.from(res)
  return keep((await res.json()) as { accessToken: string; expiresAt: string })
}

// Tabs share the cookie: the lock keeps them from refreshing over each other.
async function alone(): Promise<Access | undefined> {
  return await navigator.locks.request('pags-refresh', refresh)
}

function keep(r: { accessToken: string; expiresAt: string }): Access {
  access = { token: r.accessToken, expiresAt: Date.parse(r.expiresAt) }
  return access
}

/** A token that is good for a while, or undefined when nobody is signed in. Several callers share one refresh. */
export async function token(renew = false): Promise<string | undefined> {
  if (!renew && access && access.expiresAt - Date.now() > early) return access.token
  pending ??= alone().finally(() => { pending = undefined })
  access = await pending
  return access?.token
}

/** What to call this browser in the list of sessions. */
function label(): string {
  const ua = navigator.userAgent
  const browser = /Firefox\//.test(ua) ? 'Firefox' : /Edg\//.test(ua) ? 'Edge' : /Chrome\//.test(ua) ? 'Chrome' : /Safari\//.test(ua) ? 'Safari' : 'a browser'
  const system = /Android/.test(ua) ? ' on Android' : /iPhone|iPad/.test(ua) ? ' on iOS' : /Mac OS/.test(ua) ? ' on macOS' : /Windows/.test(ua) ? ' on Windows' : /Linux/.test(ua) ? ' on Linux' : ''
  return `Console in ${browser}${system}`
}

/** Trades a one-time link for a session in this browser. */
export async function signIn(link: string): Promise<void> {
  const res = await post('/v1/auth/link', { token: link, label: label() })
  if (!res.ok) throw await Problem.from(res)
  keep((await res.json()) as { accessToken: string; expiresAt: string })
}

export async function signOut(): Promise<void> {
  const t = await token()
  if (t) await post('/v1/auth/signout', {}, { Authorization: `Bearer ${t}` })
  access = undefined
}
