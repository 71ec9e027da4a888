import { createFileRoute } from '@tanstack/react-router'
import { KeyForm } from '@/keys/key-form'
import { useModelKeys, useRemoveKey, useTestKey, type ModelKey } from '@/keys/hooks'
import { Button } from '@/ui/button'
import { Page, Panel } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'
import { Ago } from '@/ui/time'

export const Route = createFileRoute('/keys')({ component: Keys })

function Keys() {
  const list = useModelKeys()
  return (
    <Page title="Keys" hint="Your own model keys. They are sealed when stored and never shown again; only the last four characters are.">
      {list.error ? <Failure error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton rows={2} /> : null}
      {list.data?.length === 0 ? <Empty title="No key yet" command={'printf %s "$ANTHROPIC_API_KEY" | pags keys set anthropic'}>Agents think with your key. Store one below, or from the command line:</Empty> : null}
      <ul className="space-y-3">{list.data?.map((k) => <li key={k.provider}><KeyRow k={k} /></li>)}</ul>
      <Panel label="Store a key" className="mt-8 p-5">
        <h2 className="mb-4 font-medium">Store a key</h2>
        <KeyForm />
      </Panel>
    </Page>
  )
}

function KeyRow({ k }: { k: ModelKey }) {
  const remove = useRemoveKey()
  const test = useTestKey(k.provider)
  return (
    <Panel className="p-4">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <p className="font-medium">{k.provider} <span className="font-mono text-sm font-normal text-ink-2">…{k.last4}</span></p>
          <p className="truncate text-xs text-ink-2">{k.model ?? 'default model'}{k.baseUrl ? ` · ${k.baseUrl}` : ''} · set <Ago at={k.updatedAt} /></p>
        </div>
        <Button size="small" busy={test.isPending} onClick={() => { test.mutate() }}>Test</Button>
        <Button size="small" look="danger" busy={remove.isPending} onClick={() => { if (confirm(`Forget the ${k.provider} key? Runs that need it will stop.`)) remove.mutate(k.provider) }}>Remove</Button>
      </div>
      <div role="status" className="text-sm">
        {test.data ? <p className={test.data.ok ? 'mt-2 text-ok' : 'mt-2 text-bad'}>{test.data.ok ? `${test.data.model ?? 'The model'} answered in ${(test.data.millis ?? 0).toString()} ms.` : test.data.detail}</p> : null}
      </div>
      {test.error ?? remove.error ? <div className="mt-2"><Failure error={(test.error ?? remove.error) as Error} /></div> : null}
    </Panel>
  )
}
