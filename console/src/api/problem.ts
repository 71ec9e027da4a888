/** An error answer of the API (RFC 9457), or no answer at all. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string,
    readonly traceId?: string,
    readonly fields: { location: string; message: string }[] = [],
  ) {
    super(message)
    this.name = 'Problem'
  }

  static async from(res: Response): Promise<Problem> {
    type Body = { title?: string; detail?: string; code?: string; traceId?: string; errors?: { location?: string; message?: string }[] }
    let body: Body = {}
    try {
      body = (await res.json()) as Body
    } catch {
      // An answer without a body: the status has to do.
    }
    const fields = (body.errors ?? []).map((e) => ({ location: e.location ?? '', message: e.message ?? '' }))
    return new Problem(res.status, body.detail ?? body.title ?? `The server answered ${res.status.toString()}`, body.code ?? 'unknown', body.traceId, fields)
  }
}
