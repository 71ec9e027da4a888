import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Problem } from '@/api/problem'
import { useExecution } from '@/executions/hooks'
import { Pauses } from '@/executions/pauses'
import { finished } from '@/executions/steps'
import { Editor } from '@/playground/editor'
import { Button } from '@/ui/button'
import { Failure } from '@/ui/state'
import { Status } from '@/ui/status'
import type { CallAnswer, Described } from '@/api/model'
import { useCallTool } from './hooks'
import { ResultView } from './result'
import { optional, skeleton } from './skeleton'

type Parsed = { value: unknown } | { error: string; line?: number }

function parse(text: string): Parsed {
  if (text.trim() === '') return { value: {} }
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { value } : { error: 'Arguments are one JSON object' }
  } catch (e) {
    const message = e instanceof Error ? e.message : 'It cannot be read'
    const at = /position (\d+)/.exec(message)
    const line = /line (\d+)/.exec(message)?.[1] ?? (at ? text.slice(0, Number(at[1])).split('\n').length.toString() : undefined)
    return { error: message, ...(line ? { line: Number(line) } : {}) }
  }
}

/** Calls a tool with arguments that were typed. A call that needs its owner is answered right here. */
export function TryIt({ tool }: { tool: Described }) {
  const [text, setText] = useState(() => JSON.stringify(skeleton(tool.inputSchema), null, 2))
  const [bad, setBad] = useState<{ error: string; line?: number }>()
  const [key, setKey] = useState(() => crypto.randomUUID())
  const start = useCallTool()
  const also = optional(tool.inputSchema)
  const go = () => {
    if (start.isPending) return
    const p = parse(text)
    if ('error' in p) {
      setBad(p)
      return
    }
    setBad(undefined)
    start.mutate({ path: tool.path, args: p.value, key }, { onSettled: (_, err) => { if (!err || (err instanceof Problem && err.status >= 400)) setKey(crypto.randomUUID()) } })
  }
  return (
    <section aria-labelledby="try">
      <h3 id="try" className="mb-2 font-semibold">Try it</h3>
      <form onSubmit={(e: FormEvent) => { e.preventDefault(); go() }} className="space-y-3">
        <Editor label="Arguments" value={text} onChange={(v) => { setText(v); setBad(undefined) }} onRun={go} marked={bad?.line} rows={Math.min(12, Math.max(4, text.split('\n').length))} invalid={bad !== undefined} describedBy="try-hint" />
        <p id="try-hint" className="text-xs text-ink-2">{bad ? <span className="text-bad">{bad.error}</span> : also.length > 0 ? <>Also takes {also.slice(0, 10).join(', ')}{also.length > 10 ? ` and ${(also.length - 10).toString()} more` : ''}</> : 'One JSON object'}</p>
        <Button type="submit" look="primary" aria-keyshortcuts="Control+Enter Meta+Enter" busy={start.isPending}>Call</Button>
      </form>
      {start.error ? <Failure className="mt-3" error={start.error} safe={start.error instanceof Problem && start.error.status >= 400 ? 'It was not called.' : 'Look at the runs before you call it again.'} /> : null}
      {start.data && !start.isPending ? <Outcome key={start.data.id} first={start.data} /> : null}
    </section>
  )
}

/** What came of a call: a read is answered at once, everything else is a run that is followed. */
function Outcome({ first }: { first: CallAnswer }) {
  const { id } = first
  const later = useExecution(id)
  const x = later.data ?? first
  return (
    <div className="mt-4 space-y-3">
      <p role="status" className="flex flex-wrap items-center gap-3 text-sm">
        {id ? <>{x.runStatus ? <Status status={x.runStatus} waitingFor={x.waitingFor} /> : null}<Link to="/runs/$id" params={{ id }} className="link">The run</Link></> : <span className="sr-only">Answered</span>}
      </p>
      <Pauses items={x.interactions} />
      {x.status === 'completed' ? <ResultView value={x.result} /> : null}
      {finished(x.status) && x.status !== 'completed' ? <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm break-words text-bad">{x.error?.message ?? x.detail ?? 'It was cancelled.'}</p> : null}
    </div>
  )
}
