export type Change = { kind: 'same' | 'before' | 'after'; text: string }

const longest = 1_500 // lines of either side that are compared line by line; beyond, both are shown whole

/** Two texts line by line: what stayed, what went, what came. */
export function diff(before: string, after: string): Change[] {
  const a = before === '' ? [] : before.split('\n')
  const b = after === '' ? [] : after.split('\n')
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const same = (lines: string[]): Change[] => lines.map((text) => ({ kind: 'same', text }))
  return [...same(a.slice(0, head)), ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)), ...same(tail > 0 ? a.slice(-tail) : [])]
}

function middle(a: string[], b: string[]): Change[] {
  if (a.length > longest || b.length > longest) return [...a.map((text): Change => ({ kind: 'before', text })), ...b.map((text): Change => ({ kind: 'after', text }))]
  // Length of the longest common subsequence of what follows each pair of positions.
  const width = b.length + 1
  const best = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] = a[i] === b[j] ? (best[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0)
    }
  }
  const out: Change[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: 'same', text: a[i] ?? '' })
      i++
      j++
    } else if (i < a.length && (j === b.length || (best[(i + 1) * width + j] ?? 0) >= (best[i * width + j + 1] ?? 0))) out.push({ kind: 'before', text: a[i++] ?? '' })
    else out.push({ kind: 'after', text: b[j++] ?? '' })
  }
  return out
}

/** Long stretches that stayed are left out, but for a few lines around each change. */
export function brief(changes: Change[], around = 2): (Change | { kind: 'gap'; text: string })[] {
  const near = changes.map((_, i) => changes.slice(Math.max(0, i - around), i + around + 1).some((c) => c.kind !== 'same'))
  const out: (Change | { kind: 'gap'; text: string })[] = []
  for (let i = 0; i < changes.length; i++) {
    const c = changes[i]
    if (!c) continue
    if (near[i]) {
      out.push(c)
      continue
    }
    const from = i
    while (i + 1 < changes.length && !near[i + 1]) i++
    out.push({ kind: 'gap', text: `${(i - from + 1).toString()} unchanged` })
  }
  return out
}
