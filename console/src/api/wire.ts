/** An envelope of the socket (docs/relay-protocol.md). */
export type Message = { v: number; id: string; kind: string; body?: unknown }

type Frame = { m: string; i: number; n: number; d: string }

const maxFrames = 16
const maxOpen = 8

/** Puts framed messages together. Pieces may come in any order and twice; what never completes is pushed out by newer ones. */
export class Assembler {
  private readonly open = new Map<string, (string | undefined)[]>()

  add(text: string): Message | undefined {
    const got = JSON.parse(text) as Partial<Message & Frame>
    if (typeof got.n !== 'number') return got.kind && got.id ? (got as Message) : undefined
    const { m, i, n, d } = got
    if (!m || typeof i !== 'number' || typeof d !== 'string' || n < 1 || n > maxFrames || i < 0 || i >= n) return undefined
    const pieces = this.open.get(m) ?? Array<string | undefined>(n).fill(undefined)
    if (pieces.length !== n) return undefined
    pieces[i] = d
    this.open.set(m, pieces)
    if (pieces.some((p) => p === undefined)) {
      const oldest = this.open.keys().next().value
      if (this.open.size > maxOpen && oldest !== undefined) this.open.delete(oldest)
      return undefined
    }
    this.open.delete(m)
    return JSON.parse(pieces.join('')) as Message
  }
}
