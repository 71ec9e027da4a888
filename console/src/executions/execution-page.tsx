import { Link, useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router'
import { ArrowDownToLine, ArrowDown, ArrowUp, SquarePen, Square } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { Call, Execution, Run } from '@/api/model'
import { useKeys } from '@/app/keyboard'
import { ExportButton } from '@/runs/export-button'
import { useEvents } from '@/runs/hooks'
import { EventRow } from '@/runs/step-detail'
import { Waterfall } from '@/runs/waterfall'
import { Button, buttonStyle, Keycap } from '@/ui/button'
import { Program } from '@/ui/code'
import { Fact, Page, Panel } from '@/ui/page'
import { CopyText, Failure, Skeleton } from '@/ui/state'
import { over, Status } from '@/ui/status'
import { Tabs } from '@/ui/tabs'
import { Ago, span, useNow } from '@/ui/time'
import { via } from './about'
import { CallDetail } from './call-detail'
import { Console } from './console'
import { useCalls, useCancelExecution, useExecution } from './hooks'
import { Outcome } from './outcome'
import { Pauses } from './pauses'
import { callRows, consoleLines } from './steps'

export type ExecutionTab = 'calls' | 'journal'

/** A program's run: what needs the person first, how it ended, its calls with the chosen one beside, its text and its console. */
export function ExecutionPage({ run, step, tab = 'calls' }: { run: Run; step: number | undefined; tab: ExecutionTab | undefined }) {
  const { id } = run
  const execution = useExecution(id)
  const calls = useCalls(execution.data)
  const live = !over(run.status)
  const list = useMemo(() => calls.data ?? [], [calls.data])
  const last = list.length - 1
  const chosen = Math.min(step ?? last, last)
  const navigate = useNavigate()
  const router = useRouter()
  const canGoBack = useCanGoBack()
  const go = useCallback((search: { step?: number; tab?: ExecutionTab }) => { void navigate({ to: '/runs/$id', params: { id }, search, replace: true, resetScroll: false }) }, [navigate, id])
  const choose = useCallback((i: number | undefined) => { go(i === undefined ? {} : { step: Math.max(0, Math.min(last, i)) }) }, [go, last])
  useKeys(useCallback((key) => {
    if (key === 'j' && tab === 'calls') choose(chosen + 1)
    if (key === 'k' && tab === 'calls') choose(chosen - 1)
    if (key === 'f' && tab === 'calls') choose(undefined)
    if (key === 'Escape') {
      if (canGoBack) router.history.back()
      else void navigate({ to: '/runs' })
    }
  }, [choose, chosen, tab, canGoBack, router, navigate]))
  const x = execution.data
  return (
    <Page wide title={<span className="line-clamp-2" title={run.title}>{run.title}</span>} hint={!live && !x?.error ? run.detail : undefined} trail={<Link to="/runs" className="hover:text-ink">Runs</Link>} actions={<Actions run={run} />}>
      <Head run={run} calls={x?.calls ?? run.code?.calls ?? 0} />
      {execution.error ? <Failure className="mb-4" error={execution.error} retry={() => { void execution.refetch() }} safe="The run goes on; this page may be behind." /> : null}
      {!x ? execution.error ? null : <Skeleton rows={4} /> : (
        <>
          <Pauses items={x.interactions ?? []} className={x.interactions?.length ? 'mb-4' : ''} />
          {x.resume && x.interactions?.length ? <p className="-mt-1 mb-4 flex flex-wrap items-center gap-2 text-xs text-ink-2">Or on the command line <CopyText text={x.resume} label="Copy the command" /></p> : null}
          {live ? null : <section aria-label="Outcome" className="mb-5"><Outcome x={x} /></section>}
          <Tabs label="Views" value={tab} onChange={(t) => { go(t === 'calls' ? {} : { tab: t }) }} tabs={[['calls', 'Calls'], ['journal', 'Journal']]}>
            {tab === 'calls' ? (
              <>
                {calls.error ? <Failure className="mb-4" error={calls.error} retry={() => { void calls.refetch() }} safe="The calls below may be incomplete." /> : null}
                <Calls list={list} chosen={chosen} choose={choose} live={live} following={step === undefined || step >= last} />
                <Texts x={x} list={list} />
              </>
            ) : <Journal run={run} />}
          </Tabs>
        </>
      )}
    </Page>
  )
}

function Head({ run, calls }: { run: Run; calls: number }) {
  const now = useNow(1000, !over(run.status))
  const { code } = run
  const end = run.endedAt ? Date.parse(run.endedAt) : now
  return (
    <dl className="mb-4 grid grid-cols-3 gap-x-4 gap-y-3 border-y border-line py-3 *:first:col-span-3 *:last:col-span-3 sm:flex sm:flex-wrap sm:gap-x-8">
      <Fact name="Status"><span role="status"><Status status={run.status} waitingFor={run.waitingFor} /></span></Fact>
      <Fact name={over(run.status) ? 'Took' : 'Running for'}>{span(end - Date.parse(run.createdAt))}</Fact>
      <Fact name="Calls">{calls}</Fact>
      <Fact name="Started"><Ago at={run.createdAt} /></Fact>
      <Fact name="Kind">{code?.tool ? 'One call' : 'Program'}</Fact>
      {code ? <Fact name="From">{via[code.via] ?? code.via}</Fact> : null}
      {code?.autoApprove ? <Fact name="Approvals">waived for this run</Fact> : null}
      <Fact name="Id"><CopyText text={run.id} label="Copy the run id" className="w-44" /></Fact>
    </dl>
  )
}

function Actions({ run }: { run: Run }) {
  const cancel = useCancelExecution(run.id)
  return (
    <>
      <ExportButton id={run.id} />
      {run.code?.tool ? <Link to="/tools" search={{ tool: run.code.tool }} className={buttonStyle()}>The tool</Link> : <Link to="/playground" search={{ run: run.id }} className={buttonStyle()}><SquarePen aria-hidden className="size-4" />Open in the playground</Link>}
      {over(run.status) ? null : (
        <Button look="danger" busy={cancel.isPending || run.cancelAsked === true} onClick={() => { cancel.mutate() }}>
          <Square aria-hidden className="size-3.5" />{run.cancelAsked ? 'Stopping' : 'Stop'}
        </Button>
      )}
      {cancel.error ? <Failure error={cancel.error} /> : null}
    </>
  )
}

function Calls({ list, chosen, choose, live, following }: { list: Call[]; chosen: number; choose: (i: number | undefined) => void; live: boolean; following: boolean }) {
  const now = useNow(500, live)
  const rows = useMemo(() => callRows(list, now), [list, now])
  const c = list[chosen]
  if (list.length === 0) return <p className="text-sm text-ink-2">{live ? 'No call yet' : 'It called no tool.'}</p>
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(18rem,5fr)_minmax(0,7fr)]">
      <div className="min-w-0">
        <Waterfall rows={rows} chosen={chosen} onChoose={choose} live={live} />
        {live && !following ? <Button size="small" className="mt-2" aria-keyshortcuts="f" onClick={() => { choose(undefined) }}><ArrowDownToLine aria-hidden className="size-3.5" />Follow<Keycap>f</Keycap></Button> : null}
      </div>
      <Panel label="Call" className="min-w-0 self-start">
        {c ? (
          <>
            <div className="flex items-start gap-3 px-4 pt-3 pb-3">
              <h2 className="min-w-0 flex-1 font-mono text-sm font-semibold break-all">{c.path}</h2>
              <div className="flex gap-1">
                <Button look="quiet" size="icon" aria-label="Previous call" aria-keyshortcuts="k" disabled={chosen === 0} onClick={() => { choose(chosen - 1) }}><ArrowUp aria-hidden className="size-4" /></Button>
                <Button look="quiet" size="icon" aria-label="Next call" aria-keyshortcuts="j" disabled={chosen === list.length - 1} onClick={() => { choose(chosen + 1) }}><ArrowDown aria-hidden className="size-4" /></Button>
              </div>
            </div>
            <div className="px-4 pb-4"><CallDetail key={c.seq} c={c} full /></div>
          </>
        ) : null}
      </Panel>
    </div>
  )
}

/** The program as it was written, and what it wrote. */
function Texts({ x, list }: { x: Execution; list: Call[] }) {
  const lines = consoleLines(x, list)
  const program = x.code && !x.tool ? x.code : undefined
  if (!program && lines.length === 0) return null
  return (
    <div className="mt-6 grid gap-4 lg:grid-cols-2">
      {program ? <section aria-labelledby="program" className="min-w-0"><h2 id="program" className="mb-1.5 font-semibold">Program</h2><Program text={program} marked={x.error?.line} label="Program text" /></section> : null}
      <section aria-labelledby="console" className="min-w-0"><h2 id="console" className="mb-1.5 font-semibold">Console</h2>{lines.length > 0 ? <Console lines={lines} /> : <p className="text-sm text-ink-2">It wrote nothing.</p>}</section>
    </div>
  )
}

function Journal({ run }: { run: Run }) {
  const { events, error, retry } = useEvents(run.id, run.lastEvent)
  return (
    <Panel label="Journal" className="p-4">
      {error ? <Failure className="mb-4" error={error} retry={retry} safe="The journal below may be incomplete." /> : null}
      {events.length === 0 ? <p className="text-sm text-ink-2">Nothing yet</p> : null}
      <ol className="space-y-3">{events.map((e) => <EventRow key={e.seq} event={e} />)}</ol>
    </Panel>
  )
}
