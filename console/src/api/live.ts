import { call } from './call'
import type { Interaction, Run, RunEvent } from './model'
import { SignedOut } from './problem'
import { Assembler } from './wire'

export type Push =
  | { kind: 'events'; body: { run: Run; events: RunEvent[] | null } }
  | { kind: 'inbox'; body: { interaction: Interaction; open: number } }
  | { kind: 'line'; up: boolean }

type Listener = (p: Push) => void

const pingEvery = 60_000
const silence = 150_000 // two replies missing: the line counts as dead
const first = 1_000
const longest = 30_000

/** The console's own socket. It only brings news sooner: whoever listens re-reads what it may have missed when the line comes up. */
class Live {
  private readonly listeners = new Set<Listener>()
  private socket: WebSocket | undefined
  private failures = 0
  private heard = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private ping: ReturnType<typeof setInterval> | undefined
  private serial = 0
  private dialling = false
  up = false

  listen(l: Listener): () => void {
    this.listeners.add(l)
    if (!this.socket && !this.dialling && this.timer === undefined) void this.dial()
    return () => { this.listeners.delete(l) }
  }

  private say(p: Push): void {
    for (const l of this.listeners) l(p)
  }

  private async dial(): Promise<void> {
    this.timer = undefined
    this.dialling = true
    try {
      const t = await call<{ url: string }>('POST', '/v1/relay/ticket', { role: 'console' })
      this.attach(new WebSocket(t.url))
    } catch (e) {
      if (!(e instanceof SignedOut)) this.again() // who signs in again listens again
    } finally {
      this.dialling = false
    }
  }

  private attach(ws: WebSocket): void {
    const parts = new Assembler()
    this.socket = ws
    ws.onopen = () => {
      this.failures = 0
      this.heard = Date.now()
      this.send('watch', {})
      this.line(true)
      this.ping = setInterval(() => {
        if (Date.now() - this.heard > silence) ws.close()
        else this.send('ping')
      }, pingEvery)
    }
    ws.onmessage = (e) => {
      this.heard = Date.now()
      const m = parts.add(String(e.data))
      if (m?.kind === 'events' || m?.kind === 'inbox') this.say({ kind: m.kind, body: m.body } as Push)
    }
    ws.onclose = () => {
      clearInterval(this.ping)
      this.socket = undefined
      this.line(false)
      this.again()
    }
  }

  private line(up: boolean): void {
    this.up = up
    this.say({ kind: 'line', up })
  }

  private send(kind: string, body?: unknown): void {
    this.serial++
    this.socket?.send(JSON.stringify({ v: 1, id: `c${this.serial.toString()}`, kind, ...(body === undefined ? {} : { body }) }))
  }

  // Full jitter, so that many consoles do not come back in step.
  private again(): void {
    const limit = Math.min(longest, first * 2 ** this.failures++)
    this.timer = setTimeout(() => { void this.dial() }, Math.random() * limit)
  }
}

export const live = new Live()
