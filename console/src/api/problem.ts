/** Nobody is signed in (any more); the shell shows the sign-in page. */
export class SignedOut extends Error {}

/** An error answer of the API (RFC 9457), or no answer at all. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly traceId?: string,
    readonly fields: { location: string; message: string }[] = [],
    readonly retryAfter?: number,
    /** The record that the problem is about, where there is one. */
    readonly about?: unknown,
  ) {
    super(message)
    this.name = 'Problem'
  }

  static unreachable(): Problem {
    return new Problem(0, 'The host does not answer. Is pags serve running?')
  }

  static async from(res: Response): Promise<Problem> {
    type Body = { title?: string; detail?: string; traceId?: string; about?: unknown; errors?: { location?: string; message?: string }[] }
    let body: Body = {}
    try {
      body = (await res.json()) as Body
    } catch {
      // An answer without a body: the status has to do.
    }
    const fields = (body.errors ?? []).map((e) => ({ location: e.location ?? '', message: e.message ?? '' }))
    const wait = Number(res.headers.get('Retry-After') ?? '')
    return new Problem(res.status, sentence(body.detail ?? body.title ?? `The host answered ${res.status.toString()}`), body.traceId, fields, wait > 0 ? wait * 1000 : undefined, body.about)
  }
}

function sentence(s: string): string {
  return s.charAt(0).toUpperCase() + s.slice(1)
}

/** What the request itself got wrong does not get better by asking again; too many requests do. */
export function worthAnother(failures: number, e: Error): boolean {
  if (e instanceof SignedOut || failures >= 2) return false
  return !(e instanceof Problem) || e.status < 400 || e.status >= 500 || e.status === 429
}

export function retryDelay(failures: number, e: Error): number {
  return e instanceof Problem && e.retryAfter ? e.retryAfter : 500 * 2 ** failures
}
