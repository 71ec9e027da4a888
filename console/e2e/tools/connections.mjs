import assert from 'node:assert/strict'
import { key } from '../api.mjs'
import { complete, look } from '../looks.mjs'
import { quiet } from '../world.mjs'

export default async function connections(t, w, api) {
  const { page } = w

  await t.test('a key connects a source: typed as a password, never shown again but for its end', async () => {
    await w.go('/sources/workshop')
    const field = page.getByLabel('key', { exact: true })
    assert.equal(await field.getAttribute('type'), 'password')
    await field.fill('a-key-that-is-wrong')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('…rong').waitFor()
    assert.ok(!(await page.content()).includes('a-key-that-is-wrong'))
    quiet(w)
  })

  await t.test('a test says whether one is let in; new values mend it', async () => {
    const row = page.getByRole('region', { name: 'Connections' })
    await page.getByRole('button', { name: 'Test workshop.main' }).click()
    await row.getByText('Not let in').waitFor()
    await page.getByRole('button', { name: 'Replace values of workshop.main' }).click()
    const form = page.getByRole('form', { name: 'Replace values of workshop.main' })
    await form.getByLabel('key').fill(key)
    await form.getByRole('button', { name: 'Replace' }).click()
    await row.getByText(`…${key.slice(-4)}`).waitFor()
    await page.getByRole('button', { name: 'Test workshop.main' }).click()
    await row.getByText('Healthy').waitFor()
    assert.ok(!(await page.content()).includes(key))
    assert.equal(api.take().filter((a) => a.method !== 'GET').length, 0, 'a test changes nothing')
    await complete(page)
    await look(w, 'a connected source')
    quiet(w)
  })

  await t.test('all connections are in one room, where one is added, switched off and removed', async () => {
    await w.go('/connections')
    await page.getByText('workshop.main').first().waitFor()
    await complete(page)
    await look(w, 'connections')
    await page.getByLabel('Name').fill('spare')
    await page.getByLabel('Method').selectOption({ label: 'A key in another place' })
    await page.getByLabel('Called').fill('X-Api-Key')
    await page.getByLabel('key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    const use = page.getByRole('switch', { name: 'Use workshop.spare' })
    await page.getByRole('button', { name: 'Test workshop.spare' }).click()
    await page.getByText('Healthy').nth(1).waitFor()
    await use.click()
    await page.waitForFunction(() => document.querySelector('[role=switch][aria-label="Use workshop.spare"]')?.getAttribute('aria-checked') === 'false')
    page.once('dialog', (d) => { void d.accept() })
    await page.getByRole('button', { name: 'Remove workshop.spare' }).click()
    await use.waitFor({ state: 'detached' })
    api.take()
    quiet(w)
  })
}
