import { useEffect, useState } from 'react'

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' })

export function ago(at: number, now: number): string {
  const d = at - now
  for (const [unit, ms] of units) if (Math.abs(d) >= ms) return relative.format(Math.round(d / ms), unit)
  return Math.abs(d) < 10_000 ? 'just now' : relative.format(Math.round(d / 1000), 'second')
}

/** A duration in the unit people feel: 420 ms, 3.2 s, 4 min 10 s, 2 h 5 min. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms)).toString()} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const s = Math.round(ms / 1000)
  if (s < 3600) return `${Math.floor(s / 60).toString()} min ${(s % 60).toString()} s`
  return `${Math.floor(s / 3600).toString()} h ${Math.floor((s % 3600) / 60).toString()} min`
}

/** A time of day; with `fine` to the millisecond. */
export function clock(at: number, fine = false): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', ...(fine ? { fractionalSecondDigits: 3 as const } : {}) })
}

/** The time until something, no finer than it matters: 23 h, 12 min, 45 s. */
export function left(ms: number): string {
  if (ms < 60_000) return `${Math.ceil(ms / 1000).toString()} s`
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000).toString()} min` : `${Math.floor(ms / 3_600_000).toString()} h`
}

/** The present moment, again every `every` ms; it stands still while `live` is false. */
export function useNow(every: number, live = true): number {
  const [now, set] = useState(() => Date.now())
  useEffect(() => {
    if (!live) return
    const t = setInterval(() => { set(Date.now()) }, every)
    return () => { clearInterval(t) }
  }, [every, live])
  return now
}

/** A relative time with the exact one on hover. */
export function Ago({ at }: { at: string | undefined }) {
  const now = useNow(10_000)
  if (!at || at.startsWith('0001')) return <span>never</span>
  const d = new Date(at)
  return <time dateTime={at} title={d.toLocaleString()}>{ago(d.getTime(), now)}</time>
}
