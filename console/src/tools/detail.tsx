import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '@/api/problem'
import { Code, Json } from '@/ui/code'
import { Panel } from '@/ui/page'
import { Pill } from '@/ui/pill'
import { CopyText, Failure, Skeleton } from '@/ui/state'
import { Tabs } from '@/ui/tabs'
import type { Described } from '@/api/model'
import { useTool } from './hooks'
import { actionOf, Held, Risk, Verdict, why } from './marks'
import { parts } from './tree'
import { TryIt } from './try'

/** Everything about one tool: what it does, what it takes and gives, what your policies say, and a call of it. */
export function ToolDetail({ path }: { path: string }) {
  const tool = useTool(path)
  if (tool.error && !tool.data) return <Failure error={tool.error} {...(tool.error instanceof Problem && tool.error.status === 404 ? {} : { retry: () => { void tool.refetch() } })} safe="It may have been removed, renamed, or its connection switched off." />
  if (!tool.data) return <Skeleton rows={3} />
  const t = tool.data
  const { namespace } = parts(t.path)
  return (
    <Panel label="Tool" className="divide-y divide-line">
      <div className="space-y-3 p-4">
        <div>
          <CopyText text={t.path} label="Copy the path" />
          <h2 className="mt-2 text-lg font-semibold tracking-tight break-words">{namespace ? t.path.slice(namespace.length + 1) : t.path}</h2>
        </div>
        <p className="flex flex-wrap gap-1.5">
          <Risk readOnly={t.readOnly} destructive={t.destructive} />
          <Verdict action={actionOf(t)} />
          <Held held={t.held} />
          {t.deprecated ? <Pill tint="wait">Deprecated</Pill> : null}
        </p>
        {t.description ? <p className="max-w-prose text-sm break-words whitespace-pre-wrap">{t.description}</p> : null}
        {t.host ? <p className="font-mono text-xs break-all text-ink-2">{t.method} {t.host}{t.route}</p> : null}
        {t.policy ? <p className="text-xs text-ink-2">
          {why(t.policy)}.{t.policy.pattern ? <> <Link to="/policies" search={{ pattern: t.policy.pattern }} className="link">See the policy</Link></> : <> <Link to="/policies" search={{ pattern: t.path }} className="link">Make a policy for it</Link></>}
          {t.held && t.source ? <> It asks first until you <Link to="/sources/$slug" params={{ slug: t.source }} className="link">look at the change</Link>.</> : null}
        </p> : null}
        {t.off ? <p className="rounded-md bg-wait-soft px-3 py-2 text-sm text-wait">Its {t.off} is switched off: no call goes out.</p> : null}
      </div>
      <div className="p-4"><Shapes t={t} /></div>
      <div className="p-4"><TryIt key={t.path} tool={t} /></div>
    </Panel>
  )
}

function Shapes({ t }: { t: Described }) {
  const [tab, setTab] = useState<'ts' | 'json'>('ts')
  const shared = Object.values(t.typeScriptDefinitions ?? {}).join('\n\n')
  return (
    <Tabs label="What it takes and gives" value={tab} onChange={setTab} tabs={[['ts', 'TypeScript'], ['json', 'JSON Schema']]}>
      <div className="space-y-3">
        {tab === 'ts' ? (
          <>
            <Labelled name="Takes"><Code text={t.inputTypeScript} label="Input in TypeScript" wrap /></Labelled>
            <Labelled name="Gives"><Code text={t.outputTypeScript} label="Output in TypeScript" wrap /></Labelled>
            {shared ? <details><summary className="text-xs text-ink-2 hover:text-ink">Shared types</summary><div className="mt-1.5"><Code text={shared} label="Shared types" wrap /></div></details> : null}
          </>
        ) : (
          <>
            <Labelled name="Takes"><Json value={t.inputSchema ?? {}} label="Input schema" /></Labelled>
            {t.outputSchema ? <Labelled name="Gives"><Json value={t.outputSchema} label="Output schema" /></Labelled> : <p className="text-sm text-ink-2">What it gives is not described.</p>}
          </>
        )}
      </div>
    </Tabs>
  )
}

function Labelled({ name, children }: { name: string; children: React.ReactNode }) {
  return <div><p className="mb-1 text-xs text-ink-2">{name}</p>{children}</div>
}
