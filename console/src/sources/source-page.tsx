import { Link, useNavigate } from '@tanstack/react-router'
import { RefreshCw, Trash2 } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { ConnectForm } from '@/connections/form'
import { useConnections } from '@/connections/hooks'
import { ConnectionRow } from '@/connections/row'
import type { Source } from '@/api/model'
import { Button, buttonStyle } from '@/ui/button'
import { Area, Field } from '@/ui/field'
import { Fact, Page, Panel } from '@/ui/page'
import { Failure, Skeleton } from '@/ui/state'
import { Switch } from '@/ui/switch'
import { Ago } from '@/ui/time'
import { AuthMethods } from './auth'
import { DriftPanel, RefreshOutcome } from './drift'
import { useChangeSource, useRefreshSource, useRemoveSource, useSource } from './hooks'
import { SourceState } from './row'
import { Warnings } from './warnings'

/** One source: how it stands, what changed upstream, its connections, its settings. */
export function SourcePage({ slug }: { slug: string }) {
  const source = useSource(slug)
  if (source.error && !source.data) return <Page title="Source"><Failure error={source.error} retry={() => { void source.refetch() }} /></Page>
  if (!source.data) return <Page title="Source"><Skeleton /></Page>
  return <Loaded s={source.data} />
}

function Loaded({ s }: { s: Source }) {
  const refresh = useRefreshSource(s.slug)
  return (
    <Page
      title={s.name} hint={s.description ? <span className="line-clamp-3">{s.description}</span> : undefined} trail={<Link to="/sources" className="hover:text-ink">Sources</Link>}
      actions={(
        <>
          <Link to="/tools" search={{ in: s.slug }} className={buttonStyle()}>Its tools</Link>
          {s.url ? <Button busy={refresh.isPending} onClick={() => { refresh.mutate(undefined) }}><RefreshCw aria-hidden className="size-4" />Refresh</Button> : null}
        </>
      )}
    >
      {s.status === 'degraded' ? <p role="status" className="mb-4 rounded-lg bg-bad-soft px-4 py-3 text-sm text-bad">{s.detail ?? 'It could not be read.'} Its tools stay as they were.</p> : null}
      <Panel label="About" className="divide-y divide-line">
        <dl className="grid grid-cols-2 gap-4 p-4 sm:grid-cols-4">
          <Fact name="State"><span className="flex flex-wrap items-center gap-1.5"><EnabledSwitch s={s} /><SourceState s={{ ...s, enabled: true }} /></span></Fact>
          <Fact name="Tools">{s.tools.toLocaleString()}</Fact>
          <Fact name="Begins with"><span className="font-mono text-xs">{s.slug}.</span></Fact>
          <Fact name="Read"><Ago at={s.refreshedAt} /> (revision {s.revision})</Fact>
          <Fact name="Format">{s.format}{s.version ? `, version ${s.version}` : ''}</Fact>
          <Fact name="Added"><Ago at={s.createdAt} /></Fact>
          <Fact name="From" className="col-span-2">{s.url ? <span className="font-mono text-xs break-all">{s.url}</span> : 'a pasted description'}</Fact>
        </dl>
        {refresh.data || refresh.error ? <div role="status" className="p-4">{refresh.error ? <Failure error={refresh.error} safe="Its tools are as they were." /> : refresh.data ? <RefreshOutcome r={refresh.data} /> : null}</div> : null}
      </Panel>
      <DriftPanel slug={s.slug} held={s.held} revision={s.revision} />
      <Connections s={s} />
      <Settings s={s} />
    </Page>
  )
}

function EnabledSwitch({ s }: { s: Source }) {
  const change = useChangeSource(s.slug)
  return (
    <span className="inline-flex items-center gap-2">
      <Switch label={`Use ${s.name}`} hidden checked={s.enabled} busy={change.isPending} onChange={(enabled) => { change.mutate({ enabled }) }} />
      <span className="text-sm">{s.enabled ? 'On' : 'Off'}</span>
      {change.error ? <span role="alert" className="text-xs text-bad">{change.error.message}</span> : null}
    </span>
  )
}

function Connections({ s }: { s: Source }) {
  const list = useConnections(s.slug)
  const [adding, setAdding] = useState(false)
  const none = list.data?.length === 0
  const open = none || adding
  return (
    <section aria-labelledby="connections" className="mt-8">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-3">
        <h2 id="connections" className="font-semibold">Connections</h2>
        {none ? null : <Button size="small" aria-expanded={adding} onClick={() => { setAdding(!adding) }}>{adding ? 'Not now' : 'Add a connection'}</Button>}
      </div>
      {list.error ? <Failure className="mb-3" error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton rows={1} /> : null}
      {none ? <p className="mb-3 text-sm text-ink-2">Its tools can be called once it is connected.</p> : null}
      {list.data && list.data.length > 0 ? <Panel className="divide-y divide-line">{list.data.map((c) => <ConnectionRow key={c.namespace} c={c} />)}</Panel> : null}
      {list.more ? <Button className="mt-3" onClick={list.more} busy={list.loadingMore}>Show more</Button> : null}
      {open ? <Panel label="Connect" className="mt-3 p-4"><ConnectForm source={s} taken={list.data?.map((c) => c.name) ?? []} onDone={() => { setAdding(false) }} /></Panel> : null}
    </section>
  )
}

function Settings({ s }: { s: Source }) {
  const remove = useRemoveSource(s.slug)
  const navigate = useNavigate()
  const drop = () => {
    if (confirm(`Remove ${s.name}? Its connections are forgotten and its tools can no longer be called. Past runs stay.`)) remove.mutate(undefined, { onSuccess: () => { void navigate({ to: '/sources' }) } })
  }
  return (
    <section aria-labelledby="settings" className="mt-8">
      <h2 id="settings" className="mb-2 font-semibold">Settings</h2>
      <Panel className="divide-y divide-line">
        <Names s={s} />
        {s.url ? null : <Paste slug={s.slug} />}
        <div className="grid gap-4 p-4 sm:grid-cols-2">
          <div><h3 className="mb-2 text-xs text-ink-2">How one is let in</h3><AuthMethods methods={s.auth} /></div>
          <Warnings warnings={s.warnings ?? []} />
        </div>
        <div className="p-4">
          <Button look="danger" busy={remove.isPending} onClick={drop}><Trash2 aria-hidden className="size-4" />Remove this source</Button>
          {remove.error ? <Failure className="mt-3" error={remove.error} safe="It is still there." /> : null}
        </div>
      </Panel>
    </section>
  )
}

function Names({ s }: { s: Source }) {
  const [name, setName] = useState(s.name)
  const [baseUrl, setBaseUrl] = useState(s.baseUrl ?? '')
  const change = useChangeSource(s.slug)
  const save = (e: FormEvent) => {
    e.preventDefault()
    change.mutate({ ...(name !== s.name ? { name } : {}), ...(baseUrl !== (s.baseUrl ?? '') ? { baseUrl } : {}) })
  }
  return (
    <form onSubmit={save} className="p-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name" required maxLength={80} value={name} onChange={(e) => { setName(e.target.value) }} />
        <Field label="Base URL" type="url" spellCheck={false} placeholder="as described" value={baseUrl} onChange={(e) => { setBaseUrl(e.target.value) }} />
      </div>
      <Button type="submit" className="mt-3" busy={change.isPending} disabled={name === s.name && baseUrl === (s.baseUrl ?? '')}>Save</Button>
      <div role="status" className="text-sm">{change.error ? <Failure className="mt-3" error={change.error} safe="Nothing was changed." /> : change.isSuccess ? <p className="mt-2 text-ok">Saved</p> : null}</div>
    </form>
  )
}

/** A pasted source is refreshed with a newer text. */
function Paste({ slug }: { slug: string }) {
  const [text, setText] = useState('')
  const refresh = useRefreshSource(slug)
  const save = (e: FormEvent) => {
    e.preventDefault()
    refresh.mutate(text, { onSuccess: () => { setText('') } })
  }
  return (
    <form onSubmit={save} className="p-4">
      <Area label="A newer description" mono rows={5} value={text} onChange={setText} hint="Pasted, as the first one was." />
      <Button type="submit" className="mt-3" busy={refresh.isPending} disabled={text.trim() === ''}>Refresh from this</Button>
      <div role="status" className="mt-2">{refresh.error ? <Failure error={refresh.error} safe="Its tools are as they were." /> : refresh.data ? <RefreshOutcome r={refresh.data} /> : null}</div>
    </form>
  )
}
