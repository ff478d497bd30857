"""A store as an adapter: mayhap test specs/kv.may --sut 'stdio:python3 examples/adapters/store.py'"""
import mayhap_adapter

class Store(mayhap_adapter.Client):
    values = {}  # lists of what was appended
    def Get(self, key):
        return {"Get": [key, "".join(self.values.get(key, []))]}
    def Put(self, key, value):
        self.values[key] = [value]
        return {"Put": [key, value]}
    def Append(self, key, value): return self.values.setdefault(key, []).append(value) or {"Append": [key, value]}

mayhap_adapter.serve(Store, reset=Store.values.clear)
