import assert from 'node:assert/strict'
import { complete, look } from '../looks.mjs'
import { quiet } from '../world.mjs'

export default async function refresh(t, w, api) {
  const { page } = w

  await t.test('a refresh tells what is new, changed and gone, and holds it until its owner has looked', async () => {
    await w.go('/sources/workshop')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('Nothing changed').waitFor()
    api.change()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('1 tool added, 1 changed, 1 removed').waitFor()
    await page.getByRole('heading', { name: 'Changes to look at' }).waitFor()
    const change = page.getByLabel('Before and after').first()
    await change.waitFor()
    assert.match(await change.innerText(), /Book a machine for a day"[\s\S]*Book a machine for a day, and charge for it/)
    await complete(page)
    await look(w, 'a source that changed')
    await w.go('/tools?tool=workshop.main.bookings.create')
    await page.getByText('Changed upstream').first().waitFor()
    await page.getByRole('link', { name: 'look at the change' }).click()
    await page.waitForURL('**/sources/workshop')
    quiet(w)
  })

  await t.test('a change is accepted alone, then the rest at once', async () => {
    await page.getByRole('button', { name: 'Accept bookings.create' }).click()
    await page.getByRole('button', { name: 'Accept bookings.create' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Accept (the change|all)/ }).click()
    await page.getByRole('heading', { name: 'Changes to look at' }).waitFor({ state: 'detached' })
    await w.go('/tools?tool=workshop.main.bookings.create')
    await page.getByRole('heading', { name: 'Try it' }).waitFor()
    await page.getByText('Changed upstream').first().waitFor({ state: 'detached' })
    quiet(w)
  })

  await t.test('a source is switched off: its tools are there no more', async () => {
    await w.go('/sources/workshop')
    await page.getByRole('switch', { name: 'Use Workshop of makers' }).click()
    await page.getByText('Off', { exact: true }).first().waitFor()
    await w.go('/tools')
    await page.getByText('No tools yet').waitFor()
    await w.go('/sources/workshop')
    await page.getByRole('switch', { name: 'Use Workshop of makers' }).click()
    await page.getByText('On', { exact: true }).waitFor()
    quiet(w)
  })
}
