import { Problem, SignedOut } from './problem'
import { token } from './session'

/** Calls the API with the session; a token the host no longer takes is renewed once. Error answers throw Problem. */
export async function call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const t = await token(attempt > 0)
    if (!t) throw new SignedOut('You are signed out')
    let res: Response
    try {
      res = await fetch(path, {
        method,
        headers: { Authorization: `Bearer ${t}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch {
      throw Problem.unreachable()
    }
    if (res.status === 401 && attempt === 0) continue
    if (res.status === 401) throw new SignedOut('You are signed out')
    if (!res.ok) throw await Problem.from(res)
    if (res.status === 204) return undefined as T
    return (await res.json()) as T
  }
}
