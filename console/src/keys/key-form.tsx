import { useState, type FormEvent } from 'react'
import { Button } from '@/ui/button'
import { Choice, Field } from '@/ui/field'
import { Failure } from '@/ui/state'
import { useSaveKey } from './hooks'

export const providers: Record<string, string> = { anthropic: 'Anthropic', openai: 'OpenAI or compatible' }

export function KeyForm() {
  const [provider, setProvider] = useState('anthropic')
  const [key, setKey] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const [model, setModel] = useState('')
  const save = useSaveKey()
  const submit = (e: FormEvent) => {
    e.preventDefault()
    save.mutate({ provider, key, ...(baseUrl ? { baseUrl } : {}), ...(model ? { model } : {}) }, { onSuccess: () => { setKey('') } })
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice label="Provider" value={provider} onChange={setProvider} options={Object.entries(providers)} />
        <Field label="Key" type="password" required autoComplete="off" spellCheck={false} value={key} onChange={(e) => { setKey(e.target.value) }} />
        <Field label="Server" type="url" placeholder="the provider’s own" value={baseUrl} onChange={(e) => { setBaseUrl(e.target.value) }} />
        <Field label="Model" placeholder="the default" value={model} onChange={(e) => { setModel(e.target.value) }} />
      </div>
      {save.error ? <Failure error={save.error} safe="The key that was stored before is unchanged." /> : null}
      <div className="flex items-center gap-3">
        <Button type="submit" look="primary" busy={save.isPending}>Store</Button>
        <p role="status" className="text-sm text-ok">{save.data ? `Stored. It ends in ${save.data.last4}.` : ''}</p>
      </div>
    </form>
  )
}
