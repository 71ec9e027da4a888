import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { complete, look } from '../looks.mjs'
import { narrow, quiet } from '../world.mjs'

export default async function sources(t, w, api) {
  const { page } = w

  await t.test('empty rooms of tools say what to do next', async () => {
    for (const [path, next] of [['/sources', 'pags sources add'], ['/connections', 'pags connections add'], ['/tools', 'pags sources add'], ['/policies', 'pags policies add'], ['/playground', 'Start from one of these']]) {
      await w.go(path)
      await page.getByText(next).first().waitFor()
      await complete(page)
      await look(w, `empty ${path}`, [narrow])
    }
    quiet(w)
  })

  await t.test('a pasted description that cannot be read: the line and the reason beside it', async () => {
    await w.go('/sources/new')
    await page.getByRole('button', { name: 'Paste the description' }).click()
    await page.getByLabel('Description').fill('openapi: 3.1.0\ninfo:\n  title: "Broken\npaths: {}\n')
    await page.getByRole('button', { name: 'Preview' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    assert.match(await alert.innerText(), /Line \d+[\s\S]*Nothing was saved/)
    await look(w, 'a description that cannot be read')
    w.complaints() // the browser reports the refusal
  })

  await t.test('an address that describes nothing says so, and what else to do', async () => {
    await page.getByRole('button', { name: 'From an address' }).click()
    const nothing = createServer((_, res) => { res.writeHead(404).end() })
    await new Promise((done) => { nothing.listen(0, '127.0.0.1', done) })
    t.after(() => { nothing.close() })
    await page.getByLabel('Address').fill(`http://127.0.0.1:${nothing.address().port}`)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('heading', { name: 'No description was found there' }).waitFor()
    w.complaints()
  })

  await t.test('a preview shows what an API brings before anything is saved; then it is added', async () => {
    await page.getByLabel('Address').fill(api.url)
    await page.getByLabel('Address').press('Enter')
    await page.getByRole('heading', { name: 'What it brings' }).waitFor()
    assert.match(page.url(), /url=http/)
    const text = await page.locator('main').innerText()
    for (const said of ['openapi 3.1.0', '3 read, 1 write, 1 destructive', 'API key', 'header X-Api-Key', api.url]) assert.ok(text.includes(said), `${said} is missing in: ${text}`)
    for (const group of ['bookings', 'desk', 'members']) await page.locator('summary', { hasText: group }).first().waitFor()
    assert.equal(await page.getByText('Destructive', { exact: true }).count(), 1)
    await look(w, 'a preview')
    await w.go('/sources')
    await page.getByText('No sources yet').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByLabel('Name').fill('Workshop of makers')
    await page.getByLabel('Slug').fill('workshop')
    await page.getByRole('button', { name: 'Add 5 tools' }).click()
    await page.waitForURL('**/sources/workshop')
    await page.getByText('Its tools can be called once it is connected.').waitFor()
    await complete(page)
    await look(w, 'a source')
    await w.go('/sources')
    await page.getByRole('link', { name: /Workshop of makers/ }).getByText('5 tools').waitFor()
    await look(w, 'sources')
    quiet(w)
  })
}
