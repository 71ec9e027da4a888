import { Problem } from './problem'

// The access token lives in this module's memory only; the refresh token is a cookie that no script can read. A reload asks
// for a new access token once, and so does an answer of 401.
type Access = { token: string; expiresAt: number }

let access: Access | undefined
let pending: Promise<Access | undefined> | undefined

const early = 30_000

async function refresh(): Promise<Access | undefined> {
  const res = await fetch('/v1/auth/refresh', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })
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

/** Trades a one-time link for a session in this browser. */
export async function signIn(link: string): Promise<void> {
  const res = await fetch('/v1/auth/link', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token: link }) })
  if (!res.ok) throw await Problem.from(res)
  keep((await res.json()) as { accessToken: string; expiresAt: string })
}

export async function signOut(): Promise<void> {
  const t = await token()
  if (t) await fetch('/v1/auth/signout', { method: 'POST', headers: { Authorization: `Bearer ${t}` } })
  access = undefined
}
