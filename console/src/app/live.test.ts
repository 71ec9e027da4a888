import { QueryClient, type InfiniteData } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import type { Page, Run } from '@/api/model'
import { show } from './live'

const run = (more: Partial<Run>): Run => ({ id: 'run_1', kind: 'browse', userId: 'usr_1', instanceId: 'ins_1', title: 't', status: 'running', step: 1, maxSteps: 40, generation: 1, fence: 1, lastEvent: 5, inputTokens: 0, outputTokens: 0, createdAt: '2026-01-01T00:00:00Z', ...more })

function cache(filter: object, ...items: Run[]) {
  const queries = new QueryClient()
  queries.setQueryData<InfiniteData<Page<Run>>>(['runs', filter], { pages: [{ items }], pageParams: [undefined] })
  queries.setQueryData(['run', 'run_1'], run({}))
  return { queries, list: () => queries.getQueryData<InfiniteData<Page<Run>>>(['runs', filter])?.pages[0]?.items, stale: () => queries.getQueryState(['runs', filter])?.isInvalidated }
}

it('a newer state of a run replaces the older one in lists and on its page', () => {
  const c = cache({}, run({}))
  show(c.queries, run({ lastEvent: 6, step: 2 }))
  expect([c.list()?.[0]?.step, c.queries.getQueryData<Run>(['run', 'run_1'])?.step, c.stale()]).toEqual([2, 2, false])
})

it('an older state that comes late changes nothing', () => {
  const c = cache({}, run({}))
  show(c.queries, run({ lastEvent: 4, step: 0 }))
  expect([c.list()?.[0]?.step, c.queries.getQueryData<Run>(['run', 'run_1'])?.step]).toEqual([1, 1])
})

it.each([
  ['a run that is new', {}, [], run({}), true],
  ['a run that leaves a filter', { status: 'running' }, [run({})], run({ status: 'waiting', lastEvent: 6 }), true],
  ['a run that enters a filter', { status: 'waiting' }, [], run({ status: 'waiting' }), true],
  ['a run that the filter never had', { status: 'failed' }, [], run({}), false],
  ['a run of another instance', { instanceId: 'ins_2' }, [], run({}), false],
])('%s has the list read again only if it belongs there', (_, filter, items, pushed, again) => {
  const c = cache(filter, ...items)
  show(c.queries, pushed)
  expect(c.stale()).toBe(again)
})
