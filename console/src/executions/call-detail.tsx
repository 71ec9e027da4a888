import { Link } from '@tanstack/react-router'
import { useInteraction } from '@/interactions/hooks'
import type { Call } from '@/api/model'
import { useTool } from '@/tools/hooks'
import { Verdict, why } from '@/tools/marks'
import { ResultView } from '@/tools/result'
import { Json } from '@/ui/code'
import { Fact } from '@/ui/page'
import { clock, span } from '@/ui/time'
import { Console } from './console'
import { callWords } from './steps'

/** Everything about one call: what it was given, what it gave, who was asked. */
export function CallDetail({ c, full }: { c: Call; full?: boolean }) {
  return (
    <div className="space-y-3">
      {full ? (
        <dl className="flex flex-wrap gap-x-8 gap-y-2">
          <Fact name="Status">{callWords[c.status]}</Fact>
          <Fact name="Made at">{clock(Date.parse(c.at), true)}</Fact>
          {c.endedAt ? <Fact name="Took">{span(Date.parse(c.endedAt) - Date.parse(c.at))}</Fact> : null}
          <Fact name="Call">{c.seq}</Fact>
        </dl>
      ) : null}
      {c.interactionId ? <Approval id={c.interactionId} /> : null}
      {full ? <Policy path={c.path} /> : null}
      <div><p className="mb-1 text-xs text-ink-2">Arguments</p><Json value={c.args ?? {}} label={`Arguments of call ${c.seq.toString()}`} /></div>
      {c.result !== undefined && c.result !== null ? <div><p className="mb-1 text-xs text-ink-2">Gave</p><ResultView value={c.result} label={`Result of call ${c.seq.toString()}`} /></div> : null}
      {c.error !== undefined && c.error !== null ? <div><p className="mb-1 text-xs text-ink-2">Threw</p><Json value={c.error} label={`Error of call ${c.seq.toString()}`} /></div> : null}
      {full && c.logsBefore && c.logsBefore.length > 0 ? <div><p className="mb-1 text-xs text-ink-2">Written before</p><Console lines={c.logsBefore} label={`Written before call ${c.seq.toString()}`} /></div> : null}
    </div>
  )
}

const answers: Record<string, string> = { accept: 'You said yes', decline: 'You said no', value: 'You gave a value', form: 'You filled in the form', secret: 'You gave a secret' }

function Approval({ id }: { id: string }) {
  const q = useInteraction(id)
  if (!q.data) return null
  const { answer, status, title } = q.data
  return (
    <p className="text-sm break-words">
      <span className="text-ink-2">{title}: </span>
      {answer ? `${answers[answer.kind] ?? answer.kind} at ${clock(Date.parse(answer.at))}${answer.note ? `: “${answer.note}”` : ''}` : status === 'open' ? 'waits for your answer' : status === 'expired' ? 'nobody answered in time' : status}
    </p>
  )
}

/** What the policies say of it now. */
function Policy({ path }: { path: string }) {
  const tool = useTool(path.includes('.') ? path : undefined)
  if (!tool.data?.policy) return null
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-ink-2"><Verdict action={tool.data.policy.action} />{why(tool.data.policy)}<Link to="/tools" search={{ tool: tool.data.path }} className="link">The tool</Link></p>
  )
}
