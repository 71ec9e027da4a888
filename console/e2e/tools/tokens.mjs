import assert from 'node:assert/strict'
import { complete, look } from '../looks.mjs'
import { quiet } from '../world.mjs'

export default async function tokens(t, w) {
  const { page, scene } = w

  await t.test('a token for a program is shown once, works within its scopes, and is revoked', async () => {
    await w.go('/settings')
    await page.getByRole('heading', { name: 'Tokens for programs' }).waitFor()
    const panel = page.getByRole('region', { name: 'Make a token' })
    await panel.getByLabel('Name').fill('Laptop')
    await panel.getByRole('button', { name: 'Make a token' }).click()
    const once = page.getByRole('region', { name: 'The new token' })
    await once.getByText('It is shown this once').waitFor()
    const token = (await once.locator('code').first().innerText()).trim()
    assert.match(await once.getByLabel('Command for Claude Code', { exact: true }).innerText(), new RegExp(`${scene.url}/mcp .*Bearer ${token}`))
    await complete(page)
    await look(w, 'a new token')
    const as = (path, method = 'GET') => fetch(scene.url + path, { method, headers: { Authorization: `Bearer ${token}` } }).then((r) => r.status)
    assert.deepEqual([await as('/v1/tools'), await as('/v1/sources/workshop', 'DELETE')], [200, 403])
    await page.reload()
    await page.getByText('Laptop', { exact: true }).waitFor()
    assert.ok(!(await page.content()).includes(token))
    page.once('dialog', (d) => { void d.accept() })
    await page.getByRole('button', { name: 'Revoke the token Laptop' }).click()
    await page.getByText('Laptop', { exact: true }).waitFor({ state: 'detached' })
    assert.equal(await as('/v1/tools'), 401)
    quiet(w)
  })
}
