#pragma once
// Makes classes of Python's of structs that are listed by their members: attributes, equality, text and pickling.
//
//   template <>
//   inline constexpr auto members<Times> = attributes<&Times::structure, &Times::order, ...>;
//   record<Times>(module, "Times");
//
// A value's state is what pickle takes and what is compared: numbers in full, so that not a bit is lost.

#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <variant>

#include "binding.hpp"

namespace matchcount::python {

// A member; one that is not shown is part of the state alone.
template <auto pointer, bool is_attribute>
struct Member {
  static constexpr auto place = pointer;
  static constexpr bool is_shown = is_attribute;
};
template <auto... places>
inline constexpr auto attributes = std::tuple(Member<places, true>()...);
template <auto... places>
inline constexpr auto hidden = std::tuple(Member<places, false>()...);

template <class T>
inline constexpr auto members = nullptr;

// ---- States: numbers and texts as bytes of this machine's order, and a list of what Python has as objects.

template <class T, template <class...> class Template>
inline constexpr bool is_of = false;
template <template <class...> class Template, class... Arguments>
inline constexpr bool is_of<Template<Arguments...>, Template> = true;
// Says whether these are numbers, or structs of numbers without padding.
template <class T>
inline constexpr bool is_bytes =
    std::is_trivially_copyable_v<T> && !std::is_empty_v<T> && !is_of<T, std::optional> && !is_of<T, std::variant>;

using Pickled = nb::typed<nb::tuple, nb::bytes, nb::typed<nb::list, nb::any>>;

// Writes values to a state or reads them from one, by the same functions, so that both are in one order.
class State {
 public:
  State() = default;  // written to
  explicit State(const Pickled& from)
      : reads_(true),
        bytes_(nb::borrow<nb::bytes>(from[0]).c_str(), nb::borrow<nb::bytes>(from[0]).size()),
        objects_(from[1]) {}
  Pickled pickled() const { return nb::make_tuple(nb::bytes(bytes_.data(), bytes_.size()), objects_); }

  template <class T>
  void transfer(T& value) {
    if constexpr (std::is_base_of_v<nb::object, T>) {
      if (!reads_)
        objects_.append(value.is_valid() ? nb::handle(value) : nb::handle(Py_None));
      else if (const nb::object read = objects_[next_object_++]; !read.is_none())
        value = nb::borrow<T>(read);
    } else if constexpr (is_bytes<T>) {
      raw(&value, sizeof value);
    } else if constexpr (is_of<T, std::vector> || std::is_same_v<T, std::string>) {
      const std::size_t size = transferred(value.size());
      if (reads_ && size > bytes_.size() + objects_.size()) refuse();
      value.resize(size);
      if constexpr (is_bytes<typename T::value_type>)
        raw(value.data(), size * sizeof(typename T::value_type));
      else
        for (auto& entry : value) transfer(entry);
    } else if constexpr (is_of<T, std::optional>) {
      if (transferred(value.has_value()) && !value) value.emplace();
      if (value) transfer(*value);
    } else if constexpr (is_of<T, std::variant>) {
      const std::size_t index = transferred(value.index());
      if (reads_) emplace(value, index, std::make_index_sequence<std::variant_size_v<T>>{});
      std::visit([&](auto& held) { transfer(held); }, value);
    } else if constexpr (std::is_same_v<T, Rational>) {
      value = Rational(transferred(numerator(value)), transferred(denominator(value)));
    } else if constexpr (std::is_same_v<T, Integer>) {
      nb::object number = reads_ ? nb::object() : nb::object(to_python(value));
      transfer(number);
      if (reads_) value = integer_from(number);
    } else if constexpr (std::is_same_v<T, BipartiteGraph>) {
      const Vertex rows = transferred(value.num_rows()), columns = transferred(value.num_columns());
      std::vector<Edge> edges = transferred(reads_ ? std::vector<Edge>() : value.edges());
      Weights weights = transferred(value.weights());
      if (reads_) value = T::from_edges(rows, columns, std::move(edges), std::move(weights));
    } else if constexpr (std::is_same_v<T, UndirectedGraph>) {
      const Vertex vertices = transferred(value.num_vertices());
      std::vector<Edge> edges = transferred(value.edges());
      Weights weights = transferred(value.weights());
      if (reads_) value = T::from_edges(vertices, std::move(edges), std::move(weights));
    } else if constexpr (!std::is_empty_v<T>) {
      std::apply([&](const auto&... member) { (transfer(value.*member.place), ...); }, members<T>);
    }
  }

 private:
  template <class T>
  T transferred(T value) {
    transfer(value);
    return value;
  }
  template <class Variant, std::size_t... place>
  static void emplace(Variant& value, std::size_t index, std::index_sequence<place...>) {
    if (!((place == index && (value.template emplace<place>(), true)) || ...)) refuse();
  }
  void raw(void* data, std::size_t size) {
    if (!reads_) {
      bytes_.append(static_cast<const char*>(data), size);
    } else {
      if (size > bytes_.size() - next_) refuse();
      if (size > 0) std::memcpy(data, bytes_.data() + next_, size);
      next_ += size;
    }
  }
  [[noreturn]] static void refuse() { throw InputError("a pickle whose sizes do not fit", "one of this version"); }

  bool reads_ = false;
  std::string bytes_;
  nb::list objects_;
  std::size_t next_ = 0, next_object_ = 0;
};

template <class T>
Pickled state_of(const T& value) {
  State state;
  state.transfer(const_cast<T&>(value));  // which is read alone
  return state.pickled();
}

// ---- Classes.

// Declares a class that is compared and pickled by its state, with its members as attributes.
template <class T>
nb::class_<T> record(nb::module_& module, const char* name, const char* doc) {
  nb::class_<T> type(module, name, doc);
  const auto add = [&]<class Member>(Member) {
    if constexpr (Member::is_shown) show<Member::place>(type);
  };
  std::apply([&](auto... member) { (add(member), ...); }, members<T>);
  type.def("__getstate__", [](const T& self) { return state_of(self); })
      .def("__setstate__", [](T& self, const Pickled& state) { State(state).transfer(*new (&self) T()); })
      .def(
          "__eq__",
          [](const T& self, nb::handle other) {
            return nb::isinstance<T>(other) && state_of(self).equal(state_of(nb::cast<const T&>(other)));
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  type.def("__hash__", [](nb::handle_t<T> self) { return nb::hash(nb::repr(self)); });
  return type;
}

// The same of a part of an answer, whose attributes are also its entries, as a dict has them.
template <class T>
nb::class_<T> entries(nb::module_& module, const char* name, const char* doc) {
  nb::class_<T> type = record<T>(module, name, doc);
  const auto names = [] {
    nb::list all;
    std::apply([&]<class... Member>(Member...) { (all.append(name_of<Member::place>()), ...); }, members<T>);
    return nb::typed<nb::list, nb::str>(std::move(all));
  };
  type.def("keys", [names](const T&) { return names(); })
      .def("__getitem__",
           [](nb::handle_t<T> self, const nb::str& key) {
             if (!nb::hasattr(self, key)) throw nb::key_error(key.c_str());
             return nb::borrow<nb::any>(nb::getattr(self, key));
           })
      .def("__repr__", [names, text = std::string(name)](nb::handle_t<T> self) {
        std::string words;
        for (const nb::handle attribute : names())
          words += (words.empty() ? "" : ", ") + nb::cast<std::string>(attribute) + "=" +
                   nb::cast<std::string>(nb::repr(nb::getattr(self, attribute)));
        return text + "(" + words + ")";
      });
  return type;
}

}  // namespace matchcount::python
