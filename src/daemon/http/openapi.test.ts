/** The rules of redocly's recommended-strict that apply here. */
import { describe, expect, it } from "vitest";
import { openApiDocument } from "./openapi.ts";
import { TestApp } from "./testing/test-app.ts";

interface Operation {
  operationId?: string;
  summary?: string;
  parameters: { name: string; in: string; required: boolean; schema?: object }[];
  requestBody?: { required?: boolean; content: Record<string, object> };
  responses: Record<string, { description?: string; content: Record<string, object> }>;
}

interface Document {
  info: { title: string; version: string; license?: { name: string } };
  servers?: { url: string }[];
  security?: object[];
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
  paths: Record<string, Record<string, Operation>>;
}

function made(): Document {
  return openApiDocument(new TestApp().routes, "1.0.0") as unknown as Document;
}

function operationsOf({ paths }: Document): { path: string; name: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, name: `${method} ${path}`, operation })),
  );
}

const MEDIA_TYPE = /^[a-z]+\/[a-z0-9.+-]+$/;

describe("the OpenAPI document", () => {
  it("names its licence, its server and how to sign in", () => {
    const document = made();
    expect(document.info).toMatchObject({ title: expect.any(String), version: "1.0.0", license: { name: "MIT" } });
    expect(document.servers?.[0]?.url).toMatch(/^http:/);
    const schemes = (document.security ?? []).flatMap((each) => Object.keys(each));
    expect(schemes.sort()).toEqual(Object.keys(document.components.securitySchemes).sort());
  });

  it("names each operation once", () => {
    const ids = operationsOf(made()).map(({ operation }) => operation.operationId);
    expect(ids.filter((id, at) => id === undefined || ids.indexOf(id) !== at)).toEqual([]);
  });

  it("is complete for each operation", () => {
    for (const { path, name, operation } of operationsOf(made())) {
      expect(operation.summary, name).toMatch(/\w/);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const declared = operation.parameters.filter((parameter) => parameter.in === "path");
      expect(
        declared.map((parameter) => parameter.name),
        name,
      ).toEqual(named);
      expect(declared.every(({ required }) => required)).toBe(true);
      expect(operation.parameters.filter(({ schema }) => schema === undefined)).toEqual([]);
      expect(Object.keys(operation.responses).sort(), name).toEqual(["200", "4XX", "5XX"]);
      const contents = [operation.requestBody ?? { content: {} }, ...Object.values(operation.responses)];
      const types = contents.flatMap(({ content }) => Object.keys(content));
      expect(
        types.filter((type) => !MEDIA_TYPE.test(type)),
        name,
      ).toEqual([]);
    }
  });

  it("names every format that a session is exported in", () => {
    const exported = made().paths["/v1/history/{unifiedId}"]!["get"]!.responses["200"]!.content;
    expect(Object.keys(exported)).toEqual(
      expect.arrayContaining(["application/json", "application/x-ndjson", "text/markdown", "text/plain"]),
    );
  });

  it("refers only to what it contains", () => {
    const document = made();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.filter(([, name]) => document.components.schemas[name!] === undefined)).toEqual([]);
    expect([...JSON.stringify(document).matchAll(/"\$ref":"(?!#\/components)/g)]).toEqual([]);
  });
});
