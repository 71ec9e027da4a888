import { TriangleAlert } from 'lucide-react'
import { visible } from '@/interactions/facts'
import type { Execution, ExecutionError } from '@/api/model'
import { ResultView } from '@/tools/result'

const kinds: Record<string, string> = {
  syntax: 'This is not a program', import: 'It wants a module', error: 'The program threw', time: 'It computed for too long', memory: 'It used too much memory', stalled: 'It waits for something that never comes', limit: 'It went over a limit', diverged: 'It went another way than before', cancelled: 'It was cancelled', internal: 'It could not be carried on',
}

/** How a program ended: what it returned, or its error at the author's line. */
export function Outcome({ x, onLine }: { x: Execution; onLine?: (line: number) => void }) {
  if (x.status === 'completed') {
    if (x.result === undefined) return <p className="text-sm text-ink-2">It returned nothing. A program gives back what it returns: <code className="font-mono text-xs">return value</code></p>
    return <ResultView value={x.result} />
  }
  if (x.error) return <ProgramError e={x.error} {...(onLine ? { onLine } : {})} />
  return x.status === 'failed' || x.status === 'cancelled' ? <p className="text-sm">{x.detail ?? (x.status === 'failed' ? 'It failed.' : 'It was cancelled.')}</p> : null
}

function ProgramError({ e, onLine }: { e: ExecutionError; onLine?: (line: number) => void }) {
  const message = e.name && e.code && e.message.startsWith(`${e.code}: `) ? e.message.slice(e.code.length + 2) : e.message // its name says it
  const head = e.name ? `${e.name}: ${message}` : message
  return (
    <div role="alert" className="flex items-start gap-3 rounded-lg border border-bad/30 bg-bad-soft px-4 py-3 text-sm">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="text-xs">{kinds[e.kind] ?? e.kind}{e.code ? ` (${e.code})` : ''}{e.line ? <>, {onLine ? <button type="button" className="link" onClick={() => { onLine(e.line ?? 1) }}>line {e.line}</button> : `line ${e.line.toString()}`}{e.column ? `, column ${e.column.toString()}` : ''}</> : null}</p>
        <p className="mt-0.5 font-medium break-words whitespace-pre-wrap text-bad">{visible(head)}</p>
        {e.step ? <p className="mt-1">At call {e.step}{e.expected ? <>: expected <code className="font-mono text-xs break-all">{e.expected}</code>, was <code className="font-mono text-xs break-all">{e.actual}</code></> : null}</p> : null}
        {e.stack && e.stack.length > 1 ? (
          <details className="mt-1.5">
            <summary className="text-xs">Stack</summary>
            <ol className="mt-1 font-mono text-xs leading-5">{e.stack.map((f, i) => <li key={i} className="break-words">{f.function ?? 'program'}, line {f.line}, column {f.column}</li>)}</ol>
          </details>
        ) : null}
      </div>
    </div>
  )
}
