import { Download } from 'lucide-react'
import { Button } from '@/ui/button'
import { Failure } from '@/ui/state'
import { useExport } from './hooks'

/** Saves everything about a run as a file. */
export function ExportButton({ id }: { id: string }) {
  const copy = useExport(id)
  const save = () => {
    copy.mutate(undefined, { onSuccess: (body) => {
      const a = document.createElement('a')
      a.href = URL.createObjectURL(new Blob([JSON.stringify(body, null, 2)], { type: 'application/json' }))
      a.download = `${id}.json`
      a.click()
      URL.revokeObjectURL(a.href)
    } })
  }
  return (
    <>
      <Button look="quiet" busy={copy.isPending} onClick={save}><Download aria-hidden className="size-4" />Export</Button>
      {copy.error ? <Failure error={copy.error} /> : null}
    </>
  )
}
