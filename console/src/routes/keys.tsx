import { createFileRoute } from '@tanstack/react-router'
import type { ModelKey } from '@/api/model'
import { KeyForm, providers } from '@/keys/key-form'
import { useModelKeys, useRemoveKey, useTestKey } from '@/keys/hooks'
import { Button } from '@/ui/button'
import { Page, Panel } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'
import { Ago } from '@/ui/time'

export const Route = createFileRoute('/keys')({ component: Keys })

function Keys() {
  const list = useModelKeys()
  return (
    <Page title="Keys" hint="Your own model keys. Sealed when stored; only the last four characters are shown again.">
      {list.error ? <Failure className="mb-4" error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton rows={1} /> : null}
      {list.data?.length === 0 ? <Empty title="No key yet" command={'printf %s "$ANTHROPIC_API_KEY" | pags keys set anthropic'}>Agents think with your key. Store one below, or from the command line:</Empty> : null}
      {list.data && list.data.length > 0 ? <Panel className="divide-y divide-line">{list.data.map((k) => <KeyRow key={k.provider} k={k} />)}</Panel> : null}
      <Panel label="Store a key" className="mt-8 p-4 sm:p-5">
        <h2 className="mb-4 font-semibold">Store a key</h2>
        <KeyForm />
      </Panel>
    </Page>
  )
}

function KeyRow({ k }: { k: ModelKey }) {
  const remove = useRemoveKey()
  const test = useTestKey(k.provider)
  const name = providers[k.provider] ?? k.provider
  const error = test.error ?? remove.error
  return (
    <div className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium">{name} <span className="font-mono text-xs font-normal text-ink-2">…{k.last4}</span></p>
          <p className="truncate text-xs text-ink-2">{[k.model ?? 'default model', k.baseUrl].filter(Boolean).join(' · ')} · set <Ago at={k.updatedAt} /></p>
        </div>
        <div className="flex gap-2">
          <Button size="small" busy={test.isPending} aria-label={`Test the ${name} key`} onClick={() => { test.mutate() }}>Test</Button>
          <Button size="small" look="danger" busy={remove.isPending} aria-label={`Remove the ${name} key`} onClick={() => { if (confirm(`Forget the ${name} key? Runs that need it will stop.`)) remove.mutate(k.provider) }}>Remove</Button>
        </div>
      </div>
      <div role="status" className="text-sm">
        {test.data ? <p className={test.data.ok ? 'mt-2 text-ok' : 'mt-2 text-bad'}>{test.data.ok ? `${test.data.model ?? 'The model'} answered in ${test.data.millis.toString()} ms` : test.data.detail}</p> : null}
      </div>
      {error ? <Failure className="mt-2" error={error} /> : null}
    </div>
  )
}
