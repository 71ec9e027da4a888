// The rooms of the tool runtime, from an API's address to programs that call it.
import assert from 'node:assert/strict'
import { openApi } from './api.mjs'
import connections from './tools/connections.mjs'
import playground from './tools/playground.mjs'
import policies from './tools/policies.mjs'
import reach from './tools/reach.mjs'
import refresh from './tools/refresh.mjs'
import sources from './tools/sources.mjs'
import tokens from './tools/tokens.mjs'
import trying from './tools/trying.mjs'
import { quiet } from './world.mjs'

export default async function tools(t, w) {
  const api = await openApi()
  try {
    for (const part of [sources, connections, reach, trying, playground, policies, refresh, tokens]) await part(t, w, api)
  } finally {
    api.close()
  }

  await t.test('a source is removed with everything below it, after one asks', async () => {
    const { page } = w
    await w.go('/sources/workshop')
    const asked = []
    page.once('dialog', (d) => { asked.push(d.message()); void d.dismiss() })
    await page.getByRole('button', { name: 'Remove this source' }).click()
    assert.match(asked[0] ?? '', /Remove Workshop of makers\?/)
    page.once('dialog', (d) => { void d.accept() })
    await page.getByRole('button', { name: 'Remove this source' }).click()
    await page.waitForURL('**/sources')
    await page.getByText('No sources yet').waitFor()
    await w.go('/connections')
    await page.getByText('No connections yet').waitFor()
    quiet(w)
  })
}
