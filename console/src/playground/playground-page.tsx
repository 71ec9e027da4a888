import { Link, useNavigate } from '@tanstack/react-router'
import { FilePlus2, Play, Share2 } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { Problem } from '@/api/problem'
import { CallList } from '@/executions/call-list'
import { Console } from '@/executions/console'
import { useCalls, useCancelExecution, useExecution, useRunProgram } from '@/executions/hooks'
import { Outcome } from '@/executions/outcome'
import { Pauses } from '@/executions/pauses'
import { consoleLines, finished } from '@/executions/steps'
import type { Execution } from '@/api/model'
import { useSomeTools, useTool } from '@/tools/hooks'
import { skeleton } from '@/tools/skeleton'
import { Button, Keycap } from '@/ui/button'
import { Page, Panel } from '@/ui/page'
import { Failure } from '@/ui/state'
import { Status } from '@/ui/status'
import { Switch } from '@/ui/switch'
import { span, useNow } from '@/ui/time'
import { loadDraft, saveDraft, starting, type Draft } from './draft'
import { Editor } from './editor'
import { examples } from './examples'

/** Where programs are written and tried: the text left, what it does right. The address names the run that is shown. */
export function Playground({ run }: { run: string | undefined }) {
  const [draft, setDraft] = useState<Draft>(() => starting(loadDraft(), run))
  const [auto, setAuto] = useState(false)
  const [key, setKey] = useState(() => crypto.randomUUID())
  const navigate = useNavigate()
  const shown = run ?? draft.run
  const execution = useExecution(shown)
  const start = useRunProgram()
  const [taken, setTaken] = useState(draft.code !== '')
  if (!taken && execution.data?.code) { // opened by a link: the program of that run
    setTaken(true)
    setDraft({ code: execution.data.code, ...(shown ? { run: shown } : {}) })
  }
  useEffect(() => { saveDraft(draft) }, [draft])

  const put = useCallback((code: string) => {
    setTaken(true)
    setDraft((d) => ({ ...d, code }))
  }, [])
  const clear = () => {
    start.reset()
    setTaken(true)
    setDraft({ code: '' })
    void navigate({ to: '/playground', replace: true })
  }
  const go = () => {
    if (start.isPending || draft.code.trim() === '') return
    start.mutate({ key, body: { code: draft.code, ...(auto ? { autoApprove: true } : {}) } }, {
      onSuccess: (x) => {
        setAuto(false)
        setDraft({ code: draft.code, run: x.id })
        void navigate({ to: '/playground', search: { run: x.id }, replace: run === undefined })
      },
      onSettled: (_, err) => { if (!err || (err instanceof Problem && err.status >= 400)) setKey(crypto.randomUUID()) },
    })
  }
  const x = execution.data
  const marked = x?.error?.line && x.code?.trimEnd() === draft.code.trimEnd() ? x.error.line : undefined
  return (
    <Page wide title="Playground" hint="A program calls your tools, waits for you where it has to, and gives back what it returns." actions={draft.code ? <Button onClick={clear}><FilePlus2 aria-hidden className="size-4" />New</Button> : undefined}>
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="min-w-0 space-y-3">
          <Editor label="Program" value={draft.code} onChange={put} onRun={go} rows={22} className="h-[38dvh] min-h-40 lg:h-[58dvh]" marked={marked} describedBy="editor-hint" />
          <p id="editor-hint" className="text-xs text-ink-2">TypeScript. Your tools are <code className="font-mono">tools.SOURCE.CONNECTION.GROUP.NAME(arguments)</code>. Tab indents; Esc leaves the field.</p>
          <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
            <Button look="primary" busy={start.isPending} disabled={draft.code.trim() === ''} onClick={go}><Play aria-hidden className="size-4" />Run<Keycap>⌘⏎</Keycap></Button>
            <Switch label="Approve everything this time" checked={auto} onChange={setAuto} hint="Calls that would ask you go ahead in this one run. What is blocked or changed upstream does not." />
          </div>
          {start.error ? <Failure error={start.error} safe={start.error instanceof Problem && start.error.status >= 400 ? 'Nothing was started.' : 'Look at your runs before you start it again.'} /> : null}
        </div>
        <div className="min-w-0">
          {execution.error && !x ? <Failure error={execution.error} retry={() => { void execution.refetch() }} safe="Your program is still here." /> : null}
          {x ? <Happening key={x.id} x={x} /> : shown && !execution.error ? <p role="status" className="text-sm text-ink-2">Starting</p> : <Examples onPick={put} empty={draft.code === ''} />}
        </div>
      </div>
    </Page>
  )
}

/** What a program does while it does it. */
function Happening({ x }: { x: Execution }) {
  const calls = useCalls(x)
  const cancel = useCancelExecution(x.id)
  const over = finished(x.status)
  const now = useNow(500, !over)
  const list = calls.data ?? []
  const lines = consoleLines(x, list)
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        <span role="status"><Status status={x.runStatus} waitingFor={x.waitingFor} /></span>
        <span className="text-xs text-ink-2 tabular-nums">{span((x.endedAt ? Date.parse(x.endedAt) : now) - Date.parse(x.createdAt))}</span>
        <Link to="/runs/$id" params={{ id: x.id }} className="link">The run</Link>
        <ShareButton />
        {over ? null : <Button size="small" look="danger" className="ml-auto" busy={cancel.isPending} onClick={() => { cancel.mutate() }}>Stop</Button>}
      </div>
      {cancel.error ? <Failure error={cancel.error} /> : null}
      <Pauses items={x.interactions ?? []} />
      {over ? <section aria-label="Outcome"><Outcome x={x} /></section> : null}
      {calls.error ? <Failure error={calls.error} retry={() => { void calls.refetch() }} /> : null}
      {list.length > 0 ? <Panel className="overflow-hidden"><CallList calls={list} /></Panel> : null}
      {lines.length > 0 ? <Console lines={lines} /> : null}
    </div>
  )
}

function ShareButton() {
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const t = setTimeout(() => { setDone(false) }, 1600)
    return () => { clearTimeout(t) }
  }, [done])
  return <Button size="small" look="quiet" onClick={() => { void navigator.clipboard.writeText(location.href).then(() => { setDone(true) }) }}><Share2 aria-hidden className="size-3.5" />{done ? 'Link copied' : 'Copy link'}</Button>
}

function Examples({ onPick, empty }: { onPick: (code: string) => void; empty: boolean }) {
  const tools = useSomeTools()
  const list = useMemo(() => tools.data?.items ?? [], [tools.data])
  const reads = list.filter((t) => t.readOnly)
  const first = useTool(reads[0]?.path)
  const second = useTool(reads[1]?.path)
  const write = useTool(list.find((t) => !t.readOnly && !t.destructive && !t.deprecated)?.path)
  const made = useMemo(() => {
    const known = new Map([first.data, second.data, write.data].flatMap((t) => (t ? [[t.path, skeleton(t.inputSchema)] as const] : [])))
    return examples(list, (path) => known.get(path))
  }, [list, first.data, second.data, write.data])
  return (
    <section aria-labelledby="examples">
      <h2 id="examples" className="font-semibold">{empty ? 'Start from one of these' : 'Examples'}</h2>
      <p className="mt-0.5 mb-3 text-sm text-ink-2">{list.length > 0 ? 'Made of your own tools.' : <>With <Link to="/sources/new" className="link text-ink">a source</Link> they would call your own tools.</>}</p>
      <ul className="space-y-2">
        {made.map((e) => (
          <li key={e.title}>
            <button type="button" className="block w-full rounded-lg border border-line bg-panel p-3 text-left hover:border-line-strong" onClick={() => { onPick(e.code) }}>
              <span className="block text-sm font-medium">{e.title}</span>
              <span className="mt-1 line-clamp-4 block font-mono text-xs break-words whitespace-pre-wrap text-ink-2">{e.code.trim()}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
