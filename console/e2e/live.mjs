// What happens on the host is seen without a reload, and what the person answers happens there.
import assert from 'node:assert/strict'
import { quiet } from './world.mjs'

export default async function live(t, w) {
  const { page, scene } = w
  const status = page.getByRole('status').filter({ hasText: /Queued|Running|Waiting|Completed|Failed|Cancelled/ }).first()

  await t.test('a task that is started is watched as it goes on, without a reload', async () => {
    await w.go(`/instances/${scene.instances.failed}`)
    await page.getByText(/^Runs on /).waitFor()
    await page.evaluate(() => {
      window.sameDocument = true
      window.lengths = new Set()
      new MutationObserver(() => { window.lengths.add(document.querySelectorAll('[role=option]').length) }).observe(document.body, { childList: true, subtree: true })
    })
    await page.getByLabel('Start at').fill(`${scene.site}/login`)
    await page.getByLabel('Objective').fill('Sign in as ada and read the news')
    await page.getByRole('button', { name: 'Start the task' }).click()
    await page.waitForURL(/\/runs\/run_/)
    await page.getByRole('heading', { level: 2, name: /password/ }).first().waitFor({ timeout: 30_000 })
    const seen = await page.evaluate(() => [...window.lengths])
    assert.ok(seen.length >= 3, `the list had these lengths: ${seen}`)
    await status.filter({ hasText: 'Waiting for a value from you' }).waitFor()
    assert.equal(await page.evaluate(() => window.sameDocument), true)
    await page.waitForFunction(() => document.title.startsWith('needs you (3)'))
  })

  await t.test('a secret is answered on the run, can be taken back, and is sent although the person walks away', async () => {
    const secret = page.getByLabel('Secret')
    await secret.fill('wrong-one')
    await secret.press('Enter')
    await page.getByText('sent in a moment').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    assert.equal(await secret.inputValue(), '')
    await secret.fill('lantern-quiet-42')
    await page.getByRole('button', { name: 'Send' }).click()
    const run = new URL(page.url()).pathname
    const sent = page.waitForRequest((r) => r.method() === 'POST' && r.url().endsWith('/answer'))
    await w.go('/machines')
    assert.deepEqual(Object.keys((await sent).postDataJSON()), ['kind', 'secret'])
    await w.go(run)
    await page.getByRole('option', { name: /Type a secret into "Password"/ }).waitFor({ timeout: 30_000 })
  })

  await t.test('stop shows pending until the run is over', async () => {
    await page.getByRole('button', { name: 'Stop' }).click()
    await status.filter({ hasText: 'Cancelled' }).waitFor({ timeout: 30_000 })
    await page.getByRole('link', { name: 'Run again' }).click()
    assert.equal(await page.getByLabel('Objective').inputValue(), 'Sign in as ada and read the news')
  })

  await t.test('an answer that the host refuses is told, and can be given again', async () => {
    await page.route('**/v1/interactions/*/answer', (r) => r.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify({ status: 503, detail: 'the table does not answer; try again', traceId: 'trace-1' }) }))
    await w.go('/inbox')
    await page.getByRole('button', { name: 'Approve' }).click()
    const card = page.getByRole('article').first()
    await card.getByRole('alert').waitFor()
    assert.match(await card.getByRole('alert').innerText(), /The table does not answer; try again[\s\S]*Nothing was sent[\s\S]*trace-1/)
    assert.equal(await card.getByRole('button', { name: 'Approve' }).isVisible(), true)
    w.complaints() // the browser reports the 503
  })

  await t.test('an approval is held for four seconds, pending until confirmed, and then the run goes on', async () => {
    let release
    const gate = new Promise((r) => { release = r })
    await page.route('**/v1/interactions/*/answer', async (r) => { await gate; await r.continue() })
    const began = Date.now()
    const request = page.waitForRequest((r) => r.url().endsWith('/answer'))
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('sent in a moment').waitFor()
    await request
    assert.ok(Date.now() - began >= 3_900, 'it was sent too soon')
    await page.getByText('Sending: Approve').waitFor()
    assert.match(await page.title(), /needs you \(2\)/)
    release()
    await page.waitForFunction(() => document.title.startsWith('needs you (1)'))
    await w.go(`/runs/${scene.runs.approval}`)
    await status.filter({ hasText: 'Completed' }).waitFor({ timeout: 30_000 })
    await page.getByText('The page says: Booked. See you on 7 December.').first().waitFor()
    quiet(w)
  })

  await t.test('the list of runs follows, too', async () => {
    await w.go('/runs')
    await page.getByRole('link', { name: /Book the laser cutter/ }).getByText('Completed').waitFor()
    await w.go('/inbox')
    const id = JSON.parse(await w.cli('inbox', '--json'))[0].id
    await w.cli('answer', id, '--decline')
    await page.getByText('Nothing needs you').waitFor()
    await page.waitForFunction(() => !document.title.includes('needs you'))
    quiet(w)
  })
}
