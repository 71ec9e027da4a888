// What the console shows when things are not well.
import assert from 'node:assert/strict'
import { look } from './looks.mjs'
import { narrow } from './world.mjs'

export default async function broken(t, w) {
  const { page } = w

  await t.test('what is not there says so', async () => {
    await w.go('/runs/run_00000000000000000000000000')
    await page.getByRole('alert').waitFor()
    await look(w, 'a run that is not there', [narrow])
    w.complaints() // the browser reports the 404
  })

  await t.test('a host that is gone: what failed, one retry; when it is back the page comes back', async () => {
    await page.goto(new URL('/runs', page.url()).href) // afresh: what was read before would still be shown
    await page.getByRole('link', { name: /workshop pass/ }).waitFor()
    await w.stopHost()
    await page.getByRole('link', { name: 'Settings' }).click()
    const failure = page.getByRole('alert').first()
    await failure.waitFor()
    assert.match(await failure.innerText(), /The host does not answer/)
    await look(w, 'a host that is gone', [narrow])
    await w.startHost()
    await failure.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Owner', { exact: true }).waitFor()
  })

  await t.test('the live line comes back by itself', async () => {
    await w.go('/machines')
    await page.getByText('Online').waitFor({ timeout: 40_000 })
    w.complaints() // the browser reports the connections that failed meanwhile
  })

  await t.test('signing out is final', async () => {
    await w.go('/settings')
    await page.getByText('this one').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/signin')
    await page.reload()
    await page.goto(new URL('/runs', page.url()).href)
    await page.waitForURL('**/signin')
  })
}
