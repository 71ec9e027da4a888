/** A JSON Schema, as far as the console reads it. */
export type Schema = {
  type?: string | string[]; title?: string; description?: string; enum?: unknown[]; const?: unknown; default?: unknown; example?: unknown; examples?: unknown[]; format?: string
  properties?: Record<string, Schema>; required?: string[]; items?: Schema; additionalProperties?: boolean | Schema; oneOf?: Schema[]; anyOf?: Schema[]; allOf?: Schema[]
  minLength?: number; maxLength?: number; pattern?: string; minimum?: number; maximum?: number; $ref?: string; $defs?: Record<string, Schema>
}
