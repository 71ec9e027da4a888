import { useState, type FormEvent } from 'react'
import type { Token } from '@/api/model'
import { Button } from '@/ui/button'
import { Code } from '@/ui/code'
import { Check, Choice, Field } from '@/ui/field'
import { Panel } from '@/ui/page'
import { Pill } from '@/ui/pill'
import { CopyText, Failure, Skeleton } from '@/ui/state'
import { Ago } from '@/ui/time'
import { useMakeToken, useRevokeToken, useTokens } from './hooks'

const scopeWords: Record<string, string> = { tools: 'find and call tools, run programs', 'interactions:answer': 'answer for you' }

/** Tokens for programs: made, shown once, revoked. */
export function Tokens() {
  const list = useTokens()
  return (
    <section aria-labelledby="tokens" className="mt-8">
      <h2 id="tokens" className="font-semibold">Tokens for programs</h2>
      <p className="mt-0.5 mb-3 text-sm text-ink-2">What a program shows to act for you, within its scopes. It can change no source, connection or policy.</p>
      {list.error ? <Failure className="mb-3" error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton rows={1} /> : null}
      {list.data?.length === 0 ? <p className="mb-3 text-sm text-ink-2">None yet</p> : null}
      {list.data && list.data.length > 0 ? <Panel className="divide-y divide-line">{list.data.map((t) => <TokenRow key={t.id} t={t} />)}</Panel> : null}
      {list.more ? <Button className="mt-3" onClick={list.more} busy={list.loadingMore}>Show more</Button> : null}
      <MakeToken />
    </section>
  )
}

function TokenRow({ t }: { t: Token }) {
  const revoke = useRevokeToken(t.id)
  const drop = () => { if (confirm(`Revoke the token ${t.name}? What uses it is refused at once.`)) revoke.mutate() }
  return (
    <div className="px-4 py-2.5">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1"><span className="truncate font-medium">{t.name}</span>{t.scopes.map((s) => <Pill key={s}>{s}</Pill>)}</p>
          <p className="text-xs text-ink-2">used <Ago at={t.lastUsedAt} /> · made <Ago at={t.createdAt} /> · expires <Ago at={t.expiresAt} /></p>
        </div>
        <Button size="small" look="danger" busy={revoke.isPending} aria-label={`Revoke the token ${t.name}`} onClick={drop}>Revoke</Button>
      </div>
      {revoke.error ? <Failure className="mt-2" error={revoke.error} safe="The token still works." /> : null}
    </div>
  )
}

function MakeToken() {
  const [name, setName] = useState('')
  const [answers, setAnswers] = useState(false)
  const [days, setDays] = useState('90')
  const make = useMakeToken()
  const submit = (e: FormEvent) => {
    e.preventDefault()
    make.mutate({ name, scopes: ['tools', ...(answers ? ['interactions:answer'] : [])], days: Number(days) }, { onSuccess: () => { setName('') } })
  }
  return (
    <>
      {make.data ? <Once name={make.data.name} token={make.data.token} /> : null}
      <Panel label="Make a token" className="mt-3 p-4">
        <form onSubmit={submit} className="space-y-4">
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Name" required maxLength={60} placeholder="Where it is used" value={name} onChange={(e) => { setName(e.target.value) }} />
            <Choice label="Expires" value={days} onChange={setDays} options={[['7', 'in 7 days'], ['30', 'in 30 days'], ['90', 'in 90 days'], ['365', 'in a year']]} />
          </div>
          <fieldset className="space-y-2">
            <legend className="mb-1 text-sm font-medium">It may</legend>
            <p className="text-sm">{scopeWords['tools']} <span className="text-xs text-ink-2">(tools)</span></p>
            <Check label="Answer for you" checked={answers} onChange={setAnswers} hint="It then can approve its own calls." />
          </fieldset>
          {make.error ? <Failure error={make.error} safe="No token was made." /> : null}
          <Button type="submit" look={make.data ? 'plain' : 'primary'} busy={make.isPending}>Make a token</Button>
        </form>
      </Panel>
    </>
  )
}

/** The token itself: this one time, with what to do with it. */
function Once({ name, token }: { name: string; token: string }) {
  return (
    <Panel label="The new token" className="mt-3 border-wait p-4">
      <p className="font-medium">The token {name}</p>
      <p className="mt-0.5 mb-2 text-sm text-wait">It is shown this once. Copy it now.</p>
      <CopyText text={token} label="Copy the token" />
      <div className="mt-4"><Snippets token={token} /></div>
    </Panel>
  )
}

/** How an MCP client is connected. */
export function Connect() {
  return (
    <section aria-labelledby="mcp" className="mt-8">
      <h2 id="mcp" className="font-semibold">Connect an MCP client</h2>
      <p className="mt-0.5 mb-3 text-sm text-ink-2">Your agent finds and calls your tools over MCP. What needs you waits in the inbox.</p>
      <Snippets token="TOKEN" />
    </section>
  )
}

function Snippets({ token }: { token: string }) {
  const url = `${location.origin}/mcp`
  const json = JSON.stringify({ mcpServers: { pags: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } }, null, 2)
  return (
    <div className="space-y-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm"><span className="text-ink-2">Address</span><CopyText text={url} label="Copy the address" /></p>
      <div><p className="mb-1 text-xs text-ink-2">Claude Code</p><Code text={`claude mcp add --transport http pags ${url} --header "Authorization: Bearer ${token}"`} label="Command for Claude Code" wrap /></div>
      <div><p className="mb-1 text-xs text-ink-2">A client with a configuration file</p><Code text={json} label="Configuration" /></div>
    </div>
  )
}
