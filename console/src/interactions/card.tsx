import { Link } from '@tanstack/react-router'
import { Check, CircleCheck, Hand, KeyRound, LoaderCircle, MessageSquareText, RotateCw, Undo2, X } from 'lucide-react'
import { useCallback, useState, type FormEvent } from 'react'
import type { AnswerBody, Interaction } from '@/api/model'
import { useKeys } from '@/app/keyboard'
import { usePicture, useRun } from '@/runs/hooks'
import { Button, Keycap } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Field } from '@/ui/field'
import { Failure } from '@/ui/state'
import { Ago, left, useNow } from '@/ui/time'
import { isCall, visible } from './facts'
import { SchemaForm } from './form-fields'
import { useAnswer } from './hooks'
import type { Outgoing } from './outbox'
import { Request } from './request'
import type { Schema } from '@/tools/schema'

type Choice = 'accept' | 'decline' | 'retry'
type Words = { title: string; accept: string; decline: string; retry?: string }

const words: Record<string, Words> = {
  approval: { title: 'Approval', accept: 'Approve', decline: 'Decline' },
  value: { title: 'Needs a value', accept: 'Continue', decline: 'Go on without' },
  challenge: { title: 'Challenge', accept: 'Solved, continue', decline: 'End the run' },
  stuck: { title: 'Stuck', accept: 'Continue', decline: 'End the run' },
  signin: { title: 'Sign-in', accept: 'Signed in, continue', decline: 'End the run' },
  unknown: { title: 'Did it happen?', accept: 'Continue', decline: 'End the run' },
}

// A call whose answer was lost: the program goes on with what its owner found out.
const callWords: Record<string, Words> = {
  approval: { title: 'Approval of a call', accept: 'Approve', decline: 'Decline' },
  value: { title: 'Question', accept: 'Continue', decline: 'Decline' },
  unknown: { title: 'Did it happen?', accept: 'It happened, go on', retry: 'It did not, do it again', decline: 'Let the call fail' },
}

/** One question: what is asked, the exact request, what happens on each answer, and the answers. */
export function InteractionCard({ interaction: x, inRun, focused = true }: { interaction: Interaction; inRun?: boolean; focused?: boolean }) {
  const { state, send, undo } = useAnswer(x.id)
  const text = (isCall(x.request) ? callWords[x.reason] : undefined) ?? words[x.reason] ?? { title: x.reason, accept: 'Accept', decline: 'Decline' }
  const idle = !state || state.phase === 'failed'
  const [note, setNote] = useState('')
  const [noting, setNoting] = useState(() => !isCall(x.request)) // a note rarely goes with a call
  const openReply = useCallback(() => {
    setNoting(true)
    requestAnimationFrame(() => { document.getElementById(`reply-${x.id}`)?.focus() }) // after this key press, or it is typed
  }, [x.id])
  const choose = useCallback((kind: Choice) => { send({ kind, ...(note ? { note } : {}) }) }, [send, note])

  useKeys(useCallback((key) => {
    if (key === 'u') undo()
    if (!idle) return
    if (key === 'a' && x.allowed?.includes('accept')) choose('accept')
    if (key === 'x' && x.allowed?.includes('decline')) choose('decline')
    if (key === 'r') openReply()
  }, [idle, choose, undo, openReply, x]), focused)

  return (
    <article aria-labelledby={`q-${x.id}`} className={cn('rounded-lg border bg-panel p-4 sm:p-5', focused ? 'border-wait' : 'border-line')}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-xs">
        <span className="inline-flex items-center gap-1.5 font-medium text-wait"><Hand aria-hidden className="size-3.5" />{text.title}</span>
        <span className="text-ink-2">asked <Ago at={x.createdAt} /> · <Expiry at={x.expiresAt} /></span>
      </div>
      <div className={cn('mt-2 grid gap-x-6 gap-y-4', x.picture && 'md:grid-cols-[minmax(0,1fr)_minmax(0,17rem)]')}>
        <div className="min-w-0 space-y-3">
          <div>
            <h2 id={`q-${x.id}`} className="text-lg font-semibold tracking-tight text-pretty break-words">{visible(x.title)}</h2>
            {x.detail ? <p className="mt-0.5 text-sm text-ink-2">{visible(x.detail)}</p> : null}
            {inRun ? null : <For x={x} />}
          </div>
          <Request request={x.request ?? {}} />
        </div>
        {x.picture ? <Shot runId={x.runId} name={x.picture} /> : null}
      </div>
      <div className="mt-4">
        {state?.phase === 'failed' ? <Failure className="mb-3" error={state.error} safe={isCall(x.request) ? 'The call was not made by it.' : 'Nothing was sent to the page.'} /> : null}
        {idle ? <Answers x={x} text={text} send={send} choose={choose} note={note} setNote={setNote} noting={noting} onNote={openReply} /> : <Progress state={state} text={text} undo={undo} />}
      </div>
    </article>
  )
}

/** What triggered the question. */
function For({ x }: { x: Interaction }) {
  const run = useRun(x.runId)
  return <p className="mt-1 truncate text-sm text-ink-2">For <Link to="/runs/$id" params={{ id: x.runId }} className="link text-ink">{run.data?.title ?? x.runId}</Link></p>
}

function Progress({ state, text, undo }: { state: Outgoing; text: Words; undo: () => void }) {
  const said = state.kind === 'decline' ? text.decline : state.kind === 'accept' ? text.accept : state.kind === 'retry' ? (text.retry ?? 'Do it again') : 'Your reply'
  return (
    <p role="status" className="flex min-h-8 flex-wrap items-center gap-3 text-sm">
      {state.phase === 'held' ? (
        <>
          <span><strong className="font-medium">{said}</strong>: sent in a moment</span>
          <Button size="small" aria-keyshortcuts="u" onClick={undo}><Undo2 aria-hidden className="size-3.5" />Undo<Keycap>u</Keycap></Button>
        </>
      ) : state.phase === 'sending' ? <><LoaderCircle aria-hidden className="size-4 animate-spin" />Sending: {said}</>
        : <><CircleCheck aria-hidden className="size-4 text-ok" />Answered. The run goes on.</>}
    </p>
  )
}

function Expiry({ at }: { at: string }) {
  const now = useNow(1000)
  const ms = Date.parse(at) - now
  return <span className={ms < 120_000 ? 'font-medium text-bad' : ''}>{ms > 0 ? `${left(ms)} left` : 'expired'}</span>
}

function Answers({ x, text, send, choose, note, setNote, noting, onNote }: { x: Interaction; text: Words; send: (b: AnswerBody) => void; choose: (k: Choice) => void; note: string; setNote: (v: string) => void; noting: boolean; onNote: () => void }) {
  const allowed = x.allowed ?? []
  const kinds = (['value', 'secret'] as const).filter((k) => allowed.includes(k))
  const schema = x.request?.['schema'] as Schema | undefined
  const decline = allowed.includes('decline') ? <Button look="danger" aria-keyshortcuts="x" onClick={() => { choose('decline') }}><X aria-hidden className="size-4" />{text.decline}<Keycap>x</Keycap></Button> : null
  if (allowed.includes('form')) return <SchemaForm id={x.id} schema={schema} onSend={(content) => { send({ kind: 'form', content }) }} beside={decline} />
  return (
    <div className="space-y-3">
      { kinds.length > 0 ? <Reply id={x.id} kinds={kinds} send={send} /> : !noting ? null : <Field id={`reply-${x.id}`} className="max-w-xl" label={isCall(x.request) ? 'Note' : 'Note for the agent'} placeholder="optional" maxLength={1000} autoComplete="off" value={note} onChange={(e) => { setNote(e.target.value) }} />}
      <div className="flex flex-wrap gap-2">
        {allowed.includes('accept') ? <Button look="primary" aria-keyshortcuts="a" onClick={() => { choose('accept') }}><Check aria-hidden className="size-4" />{text.accept}<Keycap>a</Keycap></Button> : null}
        {allowed.includes('retry') ? <Button onClick={() => { choose('retry') }}><RotateCw aria-hidden className="size-4" />{text.retry ?? 'Do it again'}</Button> : null}
        {decline}
        {noting || kinds.length > 0 ? null : <Button look="quiet" aria-keyshortcuts="r" onClick={onNote}>Add a note<Keycap>r</Keycap></Button>}
      </div>
    </div>
  )
}

/** A reply in text. Where both are allowed it can be kept from the model. */
function Reply({ id, kinds, send }: { id: string; kinds: ('value' | 'secret')[]; send: (b: AnswerBody) => void }) {
  const [value, setValue] = useState('')
  const [kind, setKind] = useState(kinds[0] ?? 'value')
  const secret = kind === 'secret'
  const submit = (e: FormEvent) => {
    e.preventDefault()
    if (value === '') return
    send(secret ? { kind, secret: value } : { kind, value })
    setValue('')
  }
  return (
    <form onSubmit={submit} className="max-w-xl">
      <div className="flex items-end gap-2">
        <Field
          id={`reply-${id}`} className="min-w-0 flex-1" label={secret ? 'Secret' : 'Value'} value={value} onChange={(e) => { setValue(e.target.value) }}
          type={secret ? 'password' : 'text'} autoComplete="off" spellCheck={false} aria-describedby={`reply-${id}-note`} aria-keyshortcuts="r"
        />
        <Button type="submit" look="primary" className="min-h-[2.25rem]" disabled={value === ''}>
          {secret ? <KeyRound aria-hidden className="size-4" /> : <MessageSquareText aria-hidden className="size-4" />}Send
        </Button>
      </div>
      <p id={`reply-${id}-note`} className="mt-1 text-xs text-ink-2">{secret ? 'The model never sees it. It is typed only on that site.' : 'The model reads it.'}</p>
      {kinds.length > 1 ? (
        <label className="mt-2 flex items-center gap-2 text-sm"><input type="checkbox" className="size-4 accent-(--ink)" checked={secret} onChange={(e) => { setKind(e.target.checked ? 'secret' : 'value') }} />Keep it from the model</label>
      ) : null}
    </form>
  )
}

function Shot({ runId, name }: { runId: string; name: string }) {
  const picture = usePicture(runId, name)
  return (
    <div className="self-start overflow-hidden rounded-md border border-line bg-sunken">
      {picture.data ? (
        <a href={picture.data.url} target="_blank" rel="noreferrer" className="block" aria-label="The page when this was asked, at full size">
          <img src={picture.data.url} alt="" className="max-h-44 w-full md:max-h-64 object-cover object-top" />
        </a>
      ) : <p className="grid aspect-[16/10] place-items-center text-xs text-ink-2">{picture.error ? 'No picture' : 'Loading the picture'}</p>}
    </div>
  )
}
