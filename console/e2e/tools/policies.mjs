import assert from 'node:assert/strict'
import { complete, look } from '../looks.mjs'
import { narrow, quiet } from '../world.mjs'

export default async function policies(t, w, api) {
  const { page } = w
  const pattern = page.getByLabel('Pattern')

  await t.test('while a pattern is typed it says what it would match; one that matches nothing says what may be meant', async () => {
    await w.go('/policies')
    await page.getByText('No policies of your own yet').waitFor()
    await page.getByText('Which policy wins').waitFor()
    await pattern.fill('workshop.*.bookings.*')
    await page.getByText('Matches 3 tools').waitFor()
    await pattern.fill('work*shop')
    await page.getByText(/stands for a whole part/).waitFor()
    w.complaints() // the browser reports the refusal
    await pattern.fill('workshp.main.*')
    await page.getByText('Matches no tool now').waitFor()
    await page.getByRole('button', { name: /^workshop\.main\.\*$/ }).click()
    assert.equal(await pattern.inputValue(), 'workshop.main.*')
    quiet(w)
  })

  await t.test('a policy that blocks hides a tool from programs and refuses calls, and says so to its owner', async () => {
    await pattern.fill('workshop.main.members.list')
    await page.getByLabel('Calls of these').selectOption({ label: 'Block it' })
    await page.getByLabel('Note').fill('Nobody reads members')
    await page.getByRole('button', { name: 'Add the policy' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'workshop.main.members.list' })
    await row.getByText('Blocked').waitFor()
    await row.getByText(/1 tool\b/).waitFor()
    await complete(page)
    await look(w, 'policies')
    await w.go('/tools?tool=workshop.main.members.list')
    await page.getByRole('heading', { name: 'Try it' }).waitFor()
    await page.getByText('Blocked', { exact: true }).first().waitFor()
    await look(w, 'a blocked tool', [narrow])
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByText('tool_blocked').waitFor()
    assert.deepEqual(api.take(), [])
    quiet(w)
  })

  await t.test('a policy is changed, switched off and removed', async () => {
    await w.go('/policies')
    await page.getByRole('button', { name: 'Edit the policy workshop.main.members.list' }).click()
    const form = page.getByRole('form', { name: /Change the policy/ })
    await form.getByLabel('Pattern').fill('workshop.main.members.*')
    await form.getByLabel('Calls of these').selectOption({ label: 'Ask me first' })
    await form.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'workshop.main.members.*' })
    await row.getByText('Asks first').waitFor()
    await page.getByRole('switch', { name: 'Use the policy workshop.main.members.*' }).click()
    await row.getByText(/off/).waitFor()
    page.once('dialog', (d) => { void d.accept() })
    await page.getByRole('button', { name: 'Remove the policy workshop.main.members.*' }).click()
    await page.getByText('No policies of your own yet').waitFor()
    quiet(w)
  })
}
